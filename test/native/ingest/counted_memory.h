// What this thread holds of the heap, and the most that it held.
#pragma once

#include <cstddef>

namespace seriesdb::test {

// Counts by the thread that allocates and that frees, which is one and the same in a test of a
// parser. Nothing is counted under a sanitizer, which has an allocator of its own.
struct CountedMemory {
  static std::ptrdiff_t& held();
  static std::ptrdiff_t& peak();
};

}  // namespace seriesdb::test
