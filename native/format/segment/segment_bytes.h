// The bytes of an open segment's file, and the damage found in them. Internal to segment/.
//
// No pointer into the file leaves the room. The mapping may be lost at any moment and then reads as
// zeros. So a caller uses data from it only after isWhole() was true; otherwise it repeats the work
// with bytes from read().
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <span>
#include <string>

#include "common/base/bytes.h"
#include "common/base/lock_order.h"
#include "common/base/status.h"
#include "common/file/file_system.h"
#include "common/file/page_residency.h"
#include "common/types/sample.h"

namespace seriesdb {

// Safe for any number of threads.
class SegmentBytes {
 public:
  // `name` is the file's name for clients, which need not know its path.
  SegmentBytes(std::string name, std::unique_ptr<ReadableFile> file);

  const std::string& name() const { return name_; }
  Bytes mapped() const { return mapped_; }  // All of the file, or empty.
  // The same bytes by a system call.
  Status read(std::uint64_t offset, std::span<std::uint8_t> bytes) const {
    return file_->read(offset, bytes);
  }
  // True if all bytes read so far were the file's. When a file is cut, its last memory page
  // continues with zeros up to the old end of the file. REQUIRES: a mapping.
  bool isWhole() const;
  // As in Segment.
  bool isInMemory(std::uint64_t offset, std::uint64_t size) const;
  std::string damageMet() const;
  std::uint64_t memoryBytes() const { return name_.capacity() + residency_.memoryBytes(); }

  // Records damage of a part ("chunk", "directory") at an offset in the file, with samples of the
  // range. Returns the error that describes it.
  Status remember(TimeRange range, const char* part, std::uint64_t offset, const Status& why) const;

 private:
  const std::string name_;
  const std::unique_ptr<ReadableFile> file_;
  const Bytes mapped_;
  const PageResidency residency_;
  // True once a part of the file was missing in its mapping, even for a moment.
  mutable std::atomic<bool> isCut_ = false;
  mutable std::atomic<bool> isDamaged_ = false;
  mutable OrderedMutex<LockRank::kSegmentDamage> damageMutex_;
  mutable std::string damage_;
};

}  // namespace seriesdb
