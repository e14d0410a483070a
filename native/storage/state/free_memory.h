// Freed memory that the allocator keeps for reuse.
#pragma once

namespace seriesdb {

// Fixes glibc's thresholds once per process, unless the environment sets them: blocks from 8 MiB
// are mapped from the kernel, and each arena keeps at most 32 MiB at its end. By default glibc
// raises both, up to 64 MiB, each time a large block is freed.
void fixAllocatorThresholds();

// Returns unused pages to the system, also those between used ones. Takes some
// milliseconds per 100 MB, in which allocations may wait: only after rare, large
// work.
void returnFreeMemory();

// While one exists, an arena keeps almost nothing of what is freed at its end;
// its end calls returnFreeMemory(), which skips the ends of all arenas but the first.
class FreeingForGood {
 public:
  FreeingForGood();
  ~FreeingForGood();
  FreeingForGood(const FreeingForGood&) = delete;
  FreeingForGood& operator=(const FreeingForGood&) = delete;
};

}  // namespace seriesdb
