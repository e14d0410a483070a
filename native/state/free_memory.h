// Memory that was freed, and that the allocator keeps for later.
#pragma once

namespace seriesdb {

// Gives the system the pages that hold nothing, wherever they lie between those that do. Takes some
// milliseconds for each hundred megabytes, during which allocations may wait: for the end of what
// is rare and large.
void returnFreeMemory();

}  // namespace seriesdb
