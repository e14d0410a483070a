#include "storage/memtable/small_pool.h"

#include <algorithm>
#include <new>

#include "common/base/check.h"

namespace seriesdb {
namespace {

// Blocks cut at a time: enough to make refills rare, few enough to touch little memory early.
constexpr std::size_t kRefillBytes = std::size_t{16} << 10;

constexpr std::size_t sizeOf(std::size_t index) { return SmallPool::kSizeMin << index; }

}  // namespace

std::size_t SmallPool::classOf(std::size_t bytes) {
  CHECK(bytes >= 1 && bytes <= kSizeMax);
  const std::size_t size = std::max(kSizeMin, std::bit_ceil(bytes));
  return static_cast<std::size_t>(std::countr_zero(size) - std::countr_zero(kSizeMin));
}

void* SmallPool::allocate(std::size_t bytes) {
  const std::size_t index = classOf(bytes);
  SizeClass& sizeClass = classes_[index];
  const std::lock_guard lock(sizeClass.mutex);
  if (sizeClass.free == nullptr) refill(sizeClass, sizeOf(index));
  FreeBlock* block = sizeClass.free;
  sizeClass.free = block->next;
  ClassFigures& figures = sizeClass.figures;
  ++figures.allocations;
  figures.highWater = std::max(figures.highWater, ++figures.inUse);
  return block;
}

void SmallPool::release(void* block, std::size_t bytes) {
  SizeClass& sizeClass = classes_[classOf(bytes)];
  const std::lock_guard lock(sizeClass.mutex);
  CHECK(sizeClass.figures.inUse > 0);
  sizeClass.free = ::new (block) FreeBlock{sizeClass.free};
  --sizeClass.figures.inUse;
}

// REQUIRES: the class is locked and its free list is empty.
void SmallPool::refill(SizeClass& sizeClass, std::size_t size) {
  if (sizeClass.uncutSize == 0) {
    sizeClass.slabs.push_back(std::make_unique_for_overwrite<std::byte[]>(kSlabSize));
    sizeClass.uncut = sizeClass.slabs.back().get();
    sizeClass.uncutSize = kSlabSize;
    ++sizeClass.figures.slabs;
  }
  ++sizeClass.figures.refills;
  // Powers of two: a slab is cut without a rest. The lowest address ends up first in the list.
  const std::size_t cut = std::min(sizeClass.uncutSize, std::max(size, kRefillBytes));
  for (std::size_t at = cut; at > 0; at -= size) {
    sizeClass.free = ::new (sizeClass.uncut + at - size) FreeBlock{sizeClass.free};
  }
  sizeClass.uncut += cut;
  sizeClass.uncutSize -= cut;
}

std::array<SmallPool::ClassFigures, SmallPool::kClassCount> SmallPool::figures() const {
  std::array<ClassFigures, kClassCount> all;
  for (std::size_t index = 0; index < kClassCount; ++index) {
    const SizeClass& sizeClass = classes_[index];
    const std::lock_guard lock(sizeClass.mutex);
    all[index] = sizeClass.figures;
    all[index].size = sizeOf(index);
  }
  return all;
}

}  // namespace seriesdb
