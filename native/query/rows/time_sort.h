// Sorts rows of many series by time.
#pragma once

#include <cstddef>
#include <vector>

#include "query/rows/ordered_rows.h"

namespace seriesdb {

// Sorts by time in either direction; stable. `runs` has the begin of each run that is already
// ordered, the first at 0. Afterwards it has only the 0.
void sortByTime(std::vector<SampleRow>& rows, std::vector<std::size_t>& runs, bool isDescending);

}  // namespace seriesdb
