// Memory of trivial values that grows in place. The kernel moves the pages of a large block, so
// nothing is copied. Pages are touched only when written.
#pragma once

#include <cstddef>

namespace seriesdb {

// Reallocates `block`, which may be null, from `before` to `size` bytes and keeps its content.
// Aborts if memory runs out.
void* resizePlain(void* block, std::size_t before, std::size_t size);
void freePlain(void* block, std::size_t size);

}  // namespace seriesdb
