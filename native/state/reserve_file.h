// RESERVE: room on the disk that nothing uses, so that a flush can free the log when the disk is
// full. Best effort: where it cannot be made, a full disk waits for the operator.
//
// Thread-safe. While it is out, the committer takes no records, or the room would go to the log.
#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>
#include <string>

#include "file/file_system.h"

namespace seriesdb {

class ReserveFile {
 public:
  // `size` 0: there is none.
  ReserveFile(FileSystem& fs, std::string directory, std::uint64_t size);

  // Takes the file of an earlier run, if it has this size.
  void adopt();
  // Makes the file, if there is room for it and as much again. True when it is there or cannot be
  // had on this disk; false when room is missing.
  bool restore();
  // Gives the room back to the disk. True when there was any.
  bool release();
  bool isHeld() const { return isHeld_.load(std::memory_order_acquire); }
  // Released, and not yet restored.
  bool isOut() const { return isOut_.load(std::memory_order_acquire); }

 private:
  FileSystem& fs_;
  const std::string directory_;
  const std::uint64_t size_;
  std::mutex mutex_;
  std::atomic<bool> isHeld_ = false;
  std::atomic<bool> isOut_ = false;
};

}  // namespace seriesdb
