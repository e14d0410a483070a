// The order of a grouped query's rows, where each key is the bucket or what each series has.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "query/fold/aggregate_plan.h"
#include "query/fold/group_cell.h"
#include "query/group_index.h"

namespace seriesdb {

// A number that orders as buckets do; one without a start, at the end of time, is last.
std::uint64_t bucketWord(const BucketSpec& spec, std::int64_t bucket);

// Numbers of the cells, ordered by the keys with these places, the first of which weighs most.
// REQUIRES: all keys of the plan, none an expression.
//
// By counting, from the least key on (Knuth: The Art of Computer Programming 3, 5.2.5): linear in
// cells, groups and buckets, but for sparse buckets and for groups by keys in another order than
// the plan's, which are sorted.
std::vector<std::uint32_t> orderCells(const AggregatePlan& plan, const GroupIndex& groups,
                                      std::span<const GroupCell> cells,
                                      std::span<const std::uint32_t> order);

}  // namespace seriesdb
