#include "format/segment/segment_bytes.h"

#include <utility>

#include "common/base/clock.h"
#include "common/base/later_program.h"
#include "common/file/guarded_mapping.h"
#include "format/segment/segment_format.h"

namespace seriesdb {

SegmentBytes::SegmentBytes(std::string name, std::unique_ptr<ReadableFile> file)
    : name_(std::move(name)),
      file_(std::move(file)),
      mapped_(file_->mapped()),
      residency_(mapped_) {}

bool SegmentBytes::isWhole() const {
  finishReads();
  const volatile std::uint8_t* last = &mapped_.back();
  if (*last != 0 && !file_->isMappingLost()) return true;
  isCut_.store(true, std::memory_order_relaxed);
  return false;
}

bool SegmentBytes::isInMemory(std::uint64_t offset, std::uint64_t size) const {
  if (mapped_.empty() || isCut_.load(std::memory_order_relaxed)) return false;
  if (file_->isMappingLost()) return false;
  return residency_.holds(static_cast<std::size_t>(offset), static_cast<std::size_t>(size),
                          monotonicMs());
}

std::string SegmentBytes::damageMet() const {
  if (isDamaged_.load(std::memory_order_acquire)) {
    const std::lock_guard lock(damageMutex_);
    return damage_;
  }
  if (!file_->isMappingLost() && !isCut_.load(std::memory_order_relaxed)) return {};
  return name_ + ": a part of the file could not be read; it is read without a mapping now";
}

Status SegmentBytes::remember(TimeRange range, const char* part, std::uint64_t offset,
                              const Status& why) const {
  const bool isLater = tellsOfLaterProgram(why);
  const Status place = segment_format::damage(name_, offset, why.message());
  Status told = Status::corrupt("samples from " + std::to_string(range.start) + " to " +
                                std::to_string(range.end) + " are in " +
                                (isLater ? "an unknown " : "a damaged ") + part + ": " +
                                place.message());
  const std::lock_guard lock(damageMutex_);
  if (damage_.empty()) damage_ = told.message();
  isDamaged_.store(true, std::memory_order_release);
  return told;
}

}  // namespace seriesdb
