// Memory for strip buffers: power-of-two classes cut from 1 MiB slabs, with a free list a class.
// Freed as a whole with the arena. Not thread-safe.
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <vector>

namespace seriesdb {

class SlabArena {
 public:
  // Memory for `bytes`, aligned to 16. REQUIRES: bytes is a power of two, at least 16.
  void* allocate(std::size_t bytes);
  // Takes a buffer back for the next allocate() of the same size.
  void recycle(void* buffer, std::size_t bytes);
  // Bytes taken from the system.
  std::size_t memoryBytes() const { return memoryBytes_; }

 private:
  static constexpr std::size_t kSlabSize = std::size_t{1} << 20;
  static constexpr std::size_t kClassCount = 48;

  std::byte* newSlab(std::size_t bytes);

  std::vector<std::unique_ptr<std::byte[]>> slabs_;
  std::array<std::vector<void*>, kClassCount> free_;
  std::byte* next_ = nullptr;
  std::size_t left_ = 0;
  std::size_t memoryBytes_ = 0;
};

}  // namespace seriesdb
