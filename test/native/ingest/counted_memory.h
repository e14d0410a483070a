// The heap memory that this thread holds, and its peak.
#pragma once

#include <cstddef>

namespace seriesdb::test {

// Counts per thread, which is correct only if the allocating thread also frees, as in parser tests.
// Under a sanitizer, which has its own allocator, nothing is counted.
struct CountedMemory {
  static std::ptrdiff_t& held();
  static std::ptrdiff_t& peak();
};

}  // namespace seriesdb::test
