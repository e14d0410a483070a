// Rows of many series in the order of their times.
#pragma once

#include <cstddef>
#include <vector>

#include "query/rows/ordered_rows.h"

namespace seriesdb {

// Sorts by time, one way or the other; rows of one time keep their order. `runs`: where each run
// begins that is in that order already, the first at 0; afterwards only that.
void sortByTime(std::vector<SampleRow>& rows, std::vector<std::size_t>& runs, bool isDescending);

}  // namespace seriesdb
