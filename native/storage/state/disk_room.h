// Whether the disk has room for writes.
#pragma once

#include <atomic>

#include "storage/state/engine_settings.h"
#include "storage/state/reserve_file.h"

namespace seriesdb {

// Any thread.
struct DiskRoom {
  explicit DiskRoom(const EngineSettings& settings)
      : reserve(settings.fs, settings.options.directory, settings.options.reserveBytes) {}

  bool isAwaited() const { return awaitsRoom.load(std::memory_order_acquire); }

  // The start could not write: the disk is full, or mounted read-only. Until the committer has
  // resumed the WAL, there is no WAL, nothing else writes, and admit() refuses.
  std::atomic<bool> awaitsRoom{false};
  ReserveFile reserve;
};

}  // namespace seriesdb
