// Freed memory that the allocator keeps for reuse.
#pragma once

namespace seriesdb {

// Returns unused pages to the system, also those between used ones. Takes some
// milliseconds per 100 MB, in which allocations may wait: only after rare, large
// work.
void returnFreeMemory();

}  // namespace seriesdb
