// Counts the small blocks of all memtables, by size. Any thread.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "common/base/lock_order.h"

namespace seriesdb {

class BlockFigures {
 public:
  // Blocks are powers of two; larger ones are not counted.
  static constexpr std::size_t kSizeMin = 16;
  static constexpr std::size_t kSizeMax = std::size_t{32} << 10;
  static constexpr std::size_t kSizeCount =
      static_cast<std::size_t>(std::countr_zero(kSizeMax) - std::countr_zero(kSizeMin)) + 1;

  // How a block was found: on a free list, cut from a slab, or cut from a new slab.
  enum class Source : std::uint8_t { kFree, kSlab, kNewSlab };

  void noteTaken(std::size_t bytes, Source source);
  void noteReturned(std::size_t bytes, std::uint64_t count);

  struct OfSize {
    std::uint64_t size = 0;         // Bytes per block.
    std::uint64_t allocations = 0;  // So far.
    std::uint64_t inUse = 0;        // Blocks in use.
    std::uint64_t highWater = 0;    // The maximum of `inUse` so far.
    std::uint64_t refills = 0;      // Blocks so far that were cut from a slab.
    std::uint64_t slabs = 0;        // Slabs so far whose first block had this size.
  };
  std::array<OfSize, kSizeCount> all() const;

 private:
  mutable OrderedMutex<LockRank::kBlockFigures> mutex_;
  std::array<OfSize, kSizeCount> sizes_;
};

}  // namespace seriesdb
