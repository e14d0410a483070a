// Tells whether bytes of a mapped file are in memory, so that reading them does not wait for the
// disk.
#pragma once

#include <atomic>
#include <cstdint>
#include <vector>

#include "common/base/bytes.h"

namespace seriesdb {

// Asks the kernel, which takes one to three microseconds, and remembers for a second which whole
// blocks of the file were in memory. Pages may be evicted a moment later, so an answer is a good
// guess. Any thread.
class PageResidency {
 public:
  static constexpr std::size_t kBlockSize = std::size_t{1} << 20;
  static constexpr std::uint64_t kRememberedMs = 1000;

  // `mapped` begins on a page boundary and must outlive this.
  explicit PageResidency(Bytes mapped)
      : mapped_(mapped), seenAt_((mapped.size() + kBlockSize - 1) / kBlockSize) {}

  // True if bytes inside the mapping are in memory; `nowMs` is from monotonicMs(). False if
  // unknown, for no bytes, and for more than kBlockSize bytes.
  bool holds(std::size_t offset, std::size_t size, std::uint64_t nowMs) const;

  std::size_t memoryBytes() const { return seenAt_.capacity() * sizeof(seenAt_[0]); }

 private:
  bool holdsIn(std::size_t block, Bytes wanted, std::uint64_t nowMs) const;

  const Bytes mapped_;
  // By block: the time in ms when all of it was last found in memory; 0: never.
  mutable std::vector<std::atomic<std::uint64_t>> seenAt_;
};

}  // namespace seriesdb
