#include "storage/state/reserve_file.h"

#include <utility>

#include "common/types/file_names.h"

namespace seriesdb {

ReserveFile::ReserveFile(FileSystem& fs, std::string directory, std::uint64_t size)
    : fs_(fs), directory_(std::move(directory)), size_(size) {}

void ReserveFile::adopt() {
  const std::lock_guard lock(mutex_);
  if (size_ == 0) return;
  const std::string path = file_names::join(directory_, file_names::kReserve);
  const auto exists = fs_.exists(path);
  if (!exists.ok() || !exists.value()) return;
  const auto left = fs_.openRead(path);
  isHeld_ = left.ok() && left.value()->size() == size_;
}

bool ReserveFile::restore() {
  const std::lock_guard lock(mutex_);
  if (size_ == 0 || isHeld_) return true;
  const std::string path = file_names::join(directory_, file_names::kReserve);
  const auto exists = fs_.exists(path);
  // An earlier run may have left a file of another size.
  const bool isLeft = exists.ok() && exists.value() && !fs_.remove(path).ok();
  const auto free = fs_.freeBytes(directory_);
  if (free.ok() && free.value() / 2 < size_) return false;
  isHeld_ = !isLeft && free.ok() && fs_.preallocate(path, size_).ok();
  // Also if preallocation failed: without a reserve the committer has nothing to wait for.
  isOut_.store(false, std::memory_order_release);
  return true;
}

bool ReserveFile::release() {
  const std::lock_guard lock(mutex_);
  if (!isHeld_) return false;
  // Set before the space is free, so that the WAL cannot take it.
  isOut_.store(true, std::memory_order_release);
  const bool isFreed = fs_.remove(file_names::join(directory_, file_names::kReserve)).ok();
  if (!isFreed) isOut_.store(false, std::memory_order_release);
  isHeld_ = !isFreed;
  return isFreed;
}

}  // namespace seriesdb
