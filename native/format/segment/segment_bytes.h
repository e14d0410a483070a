// The bytes of an open segment's file, and what was found wrong with them. Internal to segment/.
//
// No pointer into the file leaves the room. Its mapping may be lost at any moment, and what was
// read from it is then zeros: so whatever was read is used only after a look at isWhole(), and
// where that says no all is done once more with bytes that a system call reads.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <span>
#include <string>

#include "common/base/bytes.h"
#include "common/base/status.h"
#include "common/file/file_system.h"
#include "common/file/page_residency.h"
#include "common/types/sample.h"

namespace seriesdb {

// Safe for any number of threads.
class SegmentBytes {
 public:
  // The name is the file's; clients need not know where it lies.
  SegmentBytes(std::string name, std::unique_ptr<ReadableFile> file);

  const std::string& name() const { return name_; }
  Bytes mapped() const { return mapped_; }  // All of the file, or empty.
  // What the mapping has, by a system call.
  Status read(std::uint64_t offset, std::span<std::uint8_t> bytes) const {
    return file_->read(offset, bytes);
  }
  // Whether what was read until now was the file's: behind the end of one that was cut its last
  // page of memory goes on with zeros, up to where the file ended before. REQUIRES: a mapping.
  bool isWhole() const;
  // As of Segment.
  bool isInMemory(std::uint64_t offset, std::uint64_t size) const;
  std::string damageMet() const;
  std::uint64_t memoryBytes() const { return name_.capacity() + residency_.memoryBytes(); }

  // Notes damage of a part ("chunk", "directory") at an offset in the file that has samples of the
  // range, and gives the sentence that tells it.
  Status remember(TimeRange range, const char* part, std::uint64_t offset, const Status& why) const;

 private:
  const std::string name_;
  const std::unique_ptr<ReadableFile> file_;
  const Bytes mapped_;
  const PageResidency residency_;
  // A part of the file was missing in its mapping, if only for a moment.
  mutable std::atomic<bool> isCut_ = false;
  mutable std::atomic<bool> isDamaged_ = false;
  mutable std::mutex damageMutex_;
  mutable std::string damage_;
};

}  // namespace seriesdb
