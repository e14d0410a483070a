// RESERVE: reserved disk space, so that a flush can free the WAL on a full disk. Best effort:
// without it, a full disk must be cleared by the operator.
//
// Thread-safe. While the reserve is released, the committer takes no records, because the WAL would
// use up the space.
#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>
#include <string>

#include "common/base/lock_order.h"
#include "common/file/file_system.h"

namespace seriesdb {

class ReserveFile {
 public:
  // If `size` is 0, there is no reserve.
  ReserveFile(FileSystem& fs, std::string directory, std::uint64_t size);

  // Adopts the file of an earlier run, if it has this size.
  void adopt();
  // Creates the file if the disk has twice its size free. True if it exists or this disk cannot
  // have it; false if space is missing.
  bool restore();
  // Frees the reserved space. True if there was any.
  bool release();
  bool isHeld() const { return isHeld_.load(std::memory_order_acquire); }
  // Released, and not yet restored.
  bool isOut() const { return isOut_.load(std::memory_order_acquire); }

 private:
  FileSystem& fs_;
  const std::string directory_;
  const std::uint64_t size_;
  OrderedMutex<LockRank::kReserve> mutex_;
  std::atomic<bool> isHeld_ = false;
  std::atomic<bool> isOut_ = false;
};

}  // namespace seriesdb
