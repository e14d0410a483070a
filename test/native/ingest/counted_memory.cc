#include "ingest/counted_memory.h"

#include <malloc.h>

#include <cstdlib>
#include <new>

namespace seriesdb::test {

std::ptrdiff_t& CountedMemory::held() {
  thread_local std::ptrdiff_t bytes = 0;
  return bytes;
}
std::ptrdiff_t& CountedMemory::peak() {
  thread_local std::ptrdiff_t bytes = 0;
  return bytes;
}

}  // namespace seriesdb::test

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)

void* operator new(std::size_t size) {
  using seriesdb::test::CountedMemory;
  void* const block = std::malloc(size == 0 ? 1 : size);
  if (block == nullptr) std::abort();
  auto& held = CountedMemory::held();
  held += static_cast<std::ptrdiff_t>(malloc_usable_size(block));
  if (held > CountedMemory::peak()) CountedMemory::peak() = held;
  return block;
}

void operator delete(void* block) noexcept {
  using seriesdb::test::CountedMemory;
  CountedMemory::held() -= static_cast<std::ptrdiff_t>(malloc_usable_size(block));
  std::free(block);
}
void operator delete(void* block, std::size_t) noexcept { operator delete(block); }

#endif
