// Memory of plain values that grows where it lies: the kernel moves the pages of a large block, so
// that nothing is copied, or touched before it is written.
#pragma once

#include <cstddef>

namespace seriesdb {

// A block of `size` bytes with the content of `block`, which may be null and is gone. `before` is
// the size that it had. Fails the process where there is no memory.
void* resizePlain(void* block, std::size_t before, std::size_t size);
void freePlain(void* block, std::size_t size);

}  // namespace seriesdb
