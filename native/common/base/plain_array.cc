#include "common/base/plain_array.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>

#ifdef __linux__
#include <sys/mman.h>
#endif

#include "common/base/check.h"

namespace seriesdb {

#ifdef __linux__

namespace {

// The C library moves pages only of its largest blocks, and copies smaller ones.
constexpr std::size_t kMappedSize = std::size_t{1} << 20;

void* newPlain(std::size_t size) {
  if (size < kMappedSize) return std::malloc(size);
  void* const block =
      mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  return block == MAP_FAILED ? nullptr : block;
}

}  // namespace

void* resizePlain(void* block, std::size_t before, std::size_t size) {
  if (std::max(before, size) < kMappedSize) {
    void* const moved = std::realloc(block, size);
    CHECK(moved != nullptr);
    return moved;
  }
  if (std::min(before, size) >= kMappedSize) {
    void* const moved = mremap(block, before, size, MREMAP_MAYMOVE);
    CHECK(moved != MAP_FAILED);
    return moved;
  }
  void* const moved = newPlain(size);
  CHECK(moved != nullptr);
  if (block != nullptr) std::memcpy(moved, block, std::min(before, size));
  freePlain(block, before);
  return moved;
}

void freePlain(void* block, std::size_t size) {
  if (size < kMappedSize) {
    std::free(block);
  } else {
    munmap(block, size);
  }
}

#else

void* resizePlain(void* block, std::size_t, std::size_t size) {
  void* const moved = std::realloc(block, size);
  CHECK(moved != nullptr);
  return moved;
}

void freePlain(void* block, std::size_t) { std::free(block); }

#endif

}  // namespace seriesdb
