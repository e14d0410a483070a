// What an aggregate is of a cell that has samples.
#pragma once

#include <cstdint>

#include "fold/aggregate_plan.h"
#include "fold/group_cell.h"
#include "fold/held_values.h"

namespace seriesdb {

// Whether its result is an integer whatever its argument is.
bool isInteger(AggregateKind kind);
// REQUIRES (both): the cell was made for the aggregate; its values may change places.
std::int64_t integerOf(const AggregateColumn& aggregate, GroupCell& cell, const GoOn& goOn);
// NaN for null.
double doubleOf(const AggregateColumn& aggregate, GroupCell& cell, const GoOn& goOn);

}  // namespace seriesdb
