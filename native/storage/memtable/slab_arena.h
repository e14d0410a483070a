// Memory for strip buffers: power-of-two classes cut from slabs, with a free list per class. The
// arena frees all memory at once, in its destructor. Not thread-safe, except for its figures.
//
// The first slab has 1 MiB; the system maps it as it is used. Further slabs have the size of a huge
// page, which the arena requests from the system. Mapping 4 KiB at a time would take longer than
// storing the data.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "storage/memtable/block_figures.h"

namespace seriesdb {

class SlabArena {
 public:
  // `figures`, if given, counts the blocks.
  explicit SlabArena(std::shared_ptr<BlockFigures> figures = nullptr)
      : figures_(std::move(figures)) {}
  ~SlabArena();
  SlabArena(const SlabArena&) = delete;
  SlabArena& operator=(const SlabArena&) = delete;

  // Memory for `bytes`, aligned to 16. REQUIRES: bytes is a power of two, at least 16.
  void* allocate(std::size_t bytes);
  // Keeps a buffer for the next allocate() of the same size.
  void recycle(void* buffer, std::size_t bytes);
  // Bytes allocated from the system.
  std::size_t memoryBytes() const { return memoryBytes_; }

 private:
  static constexpr std::size_t kFirstSlabSize = std::size_t{1} << 20;
  static constexpr std::size_t kSlabSize = std::size_t{2} << 20;
  static constexpr std::size_t kClassCount = 48;

  std::byte* newSlab(std::size_t bytes);
  std::byte* newHugeSlab();
  void cutNewSlab();
  void* noted(void* buffer, std::size_t bytes, BlockFigures::Source source);

  std::vector<std::unique_ptr<std::byte[]>> slabs_;
  std::vector<void*> hugeSlabs_;  // Slabs of kSlabSize.
  std::array<std::vector<void*>, kClassCount> free_;
  std::byte* next_ = nullptr;
  std::size_t left_ = 0;
  std::size_t memoryBytes_ = 0;
  const std::shared_ptr<BlockFigures> figures_;  // May be null.
  std::array<std::uint64_t, kClassCount> inUse_{};  // Counted only for the figures.
};

}  // namespace seriesdb
