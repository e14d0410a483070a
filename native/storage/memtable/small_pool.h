// Memory for many small blocks: power-of-two size classes, each with slabs from the system and a
// free list, after the slab allocator of Bonwick (USENIX 1994) without its object caches.
//
// A released block serves the next allocation of its class, for any user; slabs return to the
// system only with the pool. So memory is neither returned nor fragmented by other sizes. Any
// thread: each class has its own lock, held for a few instructions.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "common/base/lock_order.h"

namespace seriesdb {

class SmallPool {
 public:
  static constexpr std::size_t kSizeMin = 16;
  static constexpr std::size_t kSizeMax = std::size_t{32} << 10;
  static constexpr std::size_t kClassCount =
      static_cast<std::size_t>(std::countr_zero(kSizeMax) - std::countr_zero(kSizeMin)) + 1;
  static constexpr std::size_t kSlabSize = std::size_t{256} << 10;

  // Memory for at least `bytes`, aligned to 16, not initialized. REQUIRES: 1 <= bytes <= kSizeMax
  void* allocate(std::size_t bytes);
  // REQUIRES: `block` came from allocate(bytes) of this pool and was not released.
  void release(void* block, std::size_t bytes);

  struct ClassFigures {
    std::uint64_t size = 0;         // Bytes per block.
    std::uint64_t allocations = 0;  // So far.
    std::uint64_t inUse = 0;        // Blocks in use.
    std::uint64_t highWater = 0;    // The maximum of `inUse` so far.
    std::uint64_t refills = 0;      // Times that an empty free list was filled with new blocks.
    std::uint64_t slabs = 0;        // Slabs allocated from the system.
  };
  std::array<ClassFigures, kClassCount> figures() const;

 private:
  // Stored in the free block itself.
  struct FreeBlock {
    FreeBlock* next;
  };
  struct SizeClass {
    mutable OrderedMutex<LockRank::kSmallPool> mutex;
    FreeBlock* free = nullptr;
    std::byte* uncut = nullptr;  // The rest of the last slab.
    std::size_t uncutSize = 0;
    std::vector<std::unique_ptr<std::byte[]>> slabs;
    ClassFigures figures;
  };

  static std::size_t classOf(std::size_t bytes);
  static void refill(SizeClass& sizeClass, std::size_t size);

  std::array<SizeClass, kClassCount> classes_;
};

}  // namespace seriesdb
