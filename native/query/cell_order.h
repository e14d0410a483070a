// The order of a grouped query's rows if every key is the bucket or constant within a series.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "query/fold/aggregate_plan.h"
#include "query/fold/group_cell.h"
#include "query/group_index.h"

namespace seriesdb {

// A number that orders as buckets do. A bucket without a start, at an end of time, sorts last.
std::uint64_t bucketWord(const BucketSpec& spec, std::int64_t bucket);

// The cells' numbers, ordered by the keys at these places; the first key weighs most. REQUIRES: all
// keys of the plan, none an expression.
//
// A counting sort from the least key on (Knuth: The Art of Computer Programming 3, 5.2.5), linear
// in cells, groups and buckets. Sparse buckets, and groups whose keys are not in the plan's order,
// are sorted by comparison.
std::vector<std::uint32_t> orderCells(const AggregatePlan& plan, const GroupIndex& groups,
                                      std::span<const GroupCell> cells,
                                      std::span<const std::uint32_t> order);

}  // namespace seriesdb
