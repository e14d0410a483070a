// Whether bytes of a mapped file are in memory, so that reading them does not wait for the disk.
#pragma once

#include <atomic>
#include <cstdint>
#include <vector>

#include "common/base/bytes.h"

namespace seriesdb {

// Asks the kernel, which takes one to three microseconds, and remembers for a second which blocks
// of the file were in memory as a whole. What is there may leave a moment later: an answer is a
// guess, though a good one. All threads.
class PageResidency {
 public:
  static constexpr std::size_t kBlockSize = std::size_t{1} << 20;
  static constexpr std::uint64_t kRememberedMs = 1000;

  // `mapped` begins with a page, and outlives this.
  explicit PageResidency(Bytes mapped)
      : mapped_(mapped), seenAt_((mapped.size() + kBlockSize - 1) / kBlockSize) {}

  // Of bytes that lie in the mapping; `nowMs` is of monotonicMs(). False where it cannot be told,
  // for no bytes, and for more than a block's.
  bool holds(std::size_t offset, std::size_t size, std::uint64_t nowMs) const;

  std::size_t memoryBytes() const { return seenAt_.capacity() * sizeof(seenAt_[0]); }

 private:
  bool holdsIn(std::size_t block, Bytes wanted, std::uint64_t nowMs) const;

  const Bytes mapped_;
  // By block, when all of it was last found there; 0: never.
  mutable std::vector<std::atomic<std::uint64_t>> seenAt_;
};

}  // namespace seriesdb
