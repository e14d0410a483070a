// The value of an aggregate for one cell.
#pragma once

#include "common/types/result_table.h"
#include "query/fold/aggregate_plan.h"
#include "query/fold/group_cell.h"
#include "query/fold/held_values.h"

namespace seriesdb {

// True if the result is an integer for every type of argument.
bool isInteger(AggregateKind kind);
// Appends the aggregate of a cell; null means a cell without rows. REQUIRES: the cell was folded
// with this aggregate's needs. May reorder the cell's values.
void appendValue(ResultColumn& column, const AggregateColumn& aggregate, GroupCell* cell,
                 const GoOn& goOn);

}  // namespace seriesdb
