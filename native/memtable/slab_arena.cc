#include "memtable/slab_arena.h"

#include <bit>

#include "base/check.h"

namespace seriesdb {

std::byte* SlabArena::newSlab(std::size_t bytes) {
  slabs_.push_back(std::make_unique_for_overwrite<std::byte[]>(bytes));
  memoryBytes_ += bytes;
  return slabs_.back().get();
}

void* SlabArena::allocate(std::size_t bytes) {
  CHECK(std::has_single_bit(bytes) && bytes >= 16);
  auto& free = free_[static_cast<std::size_t>(std::countr_zero(bytes))];
  if (!free.empty()) {
    void* buffer = free.back();
    free.pop_back();
    return buffer;
  }
  if (bytes > kSlabSize / 4) return newSlab(bytes);
  if (left_ < bytes) {
    next_ = newSlab(kSlabSize);
    left_ = kSlabSize;
  }
  std::byte* buffer = next_;
  next_ += bytes;
  left_ -= bytes;
  return buffer;
}

void SlabArena::recycle(void* buffer, std::size_t bytes) {
  free_[static_cast<std::size_t>(std::countr_zero(bytes))].push_back(buffer);
}

}  // namespace seriesdb
