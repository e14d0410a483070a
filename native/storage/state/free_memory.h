// Freed memory that the allocator keeps for reuse.
#pragma once

namespace seriesdb {

// Fixes glibc's thresholds once per process, unless the environment sets them: blocks from 8 MiB
// are mapped from the kernel, and each arena keeps at most 32 MiB at its end. By default glibc
// raises both, up to 64 MiB, each time a large block is freed.
void fixAllocatorThresholds();

// Returns unused pages to the system, also those between used ones. Takes some
// milliseconds per 100 MB, in which allocations may wait: after rare, large work,
// or a few times a second.
void returnFreeMemory();

// Memory is freed that returnFreeMemory() should return: soon, and once more at the
// end, since the last of it is freed after the last call. Any thread.
void oweReturn();

// True if a return is owed, which the caller then does: at most each 100 ms in the
// process, or, if nothing more will be freed (`isLast`), at once. Any thread.
bool takeReturn(bool isLast);

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
