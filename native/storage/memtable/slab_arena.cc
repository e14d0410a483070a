#include "storage/memtable/slab_arena.h"

#include <sys/mman.h>

#include <bit>
#include <cstdint>

#include "common/base/check.h"

namespace seriesdb {
namespace {

std::size_t slabClassOf(std::size_t bytes) {
  return static_cast<std::size_t>(std::countr_zero(bytes));
}

}  // namespace

SlabArena::~SlabArena() {
  for (std::size_t at = 0; figures_ && at < kClassCount; ++at) {
    if (inUse_[at] > 0) figures_->noteReturned(std::size_t{1} << at, inUse_[at]);
  }
  for (void* slab : hugeSlabs_) ::munmap(slab, kSlabSize);
}

std::byte* SlabArena::newSlab(std::size_t bytes) {
  slabs_.push_back(std::make_unique_for_overwrite<std::byte[]>(bytes));
  memoryBytes_ += bytes;
  return slabs_.back().get();
}

// If the system has no free huge pages, it maps small ones.
std::byte* SlabArena::newHugeSlab() {
  hugeSlabs_.reserve(hugeSlabs_.size() + 1);
  constexpr int kKind = MAP_PRIVATE | MAP_ANONYMOUS;
  void* const mapped = ::mmap(nullptr, 2 * kSlabSize, PROT_READ | PROT_WRITE, kKind, -1, 0);
  if (mapped == MAP_FAILED) return newSlab(kSlabSize);
  auto* const begin = static_cast<std::byte*>(mapped);
  const std::size_t before = -reinterpret_cast<std::uintptr_t>(mapped) % kSlabSize;
  std::byte* const slab = begin + before;
  if (before > 0) ::munmap(begin, before);
  ::munmap(slab + kSlabSize, kSlabSize - before);
#ifdef MADV_HUGEPAGE
  static_cast<void>(::madvise(slab, kSlabSize, MADV_HUGEPAGE));
#endif
  hugeSlabs_.push_back(slab);
  memoryBytes_ += kSlabSize;
  return slab;
}

void SlabArena::cutNewSlab() {
  const bool isFirst = slabs_.empty();
  next_ = isFirst ? newSlab(kFirstSlabSize) : newHugeSlab();
  left_ = isFirst ? kFirstSlabSize : kSlabSize;
}

void* SlabArena::noted(void* buffer, std::size_t bytes, BlockFigures::Source source) {
  if (!figures_) return buffer;
  ++inUse_[slabClassOf(bytes)];
  figures_->noteTaken(bytes, source);
  return buffer;
}

void* SlabArena::allocate(std::size_t bytes) {
  using Source = BlockFigures::Source;
  CHECK(std::has_single_bit(bytes) && bytes >= BlockFigures::kSizeMin);
  auto& free = free_[slabClassOf(bytes)];
  if (!free.empty()) {
    void* buffer = free.back();
    free.pop_back();
    return noted(buffer, bytes, Source::kFree);
  }
  if (bytes > kFirstSlabSize / 4) return noted(newSlab(bytes), bytes, Source::kNewSlab);
  const bool isFull = left_ < bytes;
  if (isFull) cutNewSlab();
  std::byte* buffer = next_;
  next_ += bytes;
  left_ -= bytes;
  return noted(buffer, bytes, isFull ? Source::kNewSlab : Source::kSlab);
}

void SlabArena::recycle(void* buffer, std::size_t bytes) {
  free_[slabClassOf(bytes)].push_back(buffer);
  if (!figures_) return;
  --inUse_[slabClassOf(bytes)];
  figures_->noteReturned(bytes, 1);
}

}  // namespace seriesdb
