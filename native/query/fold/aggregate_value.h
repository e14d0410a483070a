// What an aggregate is of a cell.
#pragma once

#include "common/types/result_table.h"
#include "query/fold/aggregate_plan.h"
#include "query/fold/group_cell.h"
#include "query/fold/held_values.h"

namespace seriesdb {

// Whether its result is an integer whatever its argument is.
bool isInteger(AggregateKind kind);
// Appends the aggregate of a cell, or that of no rows for null.
// REQUIRES: the cell was made for the aggregate; its values may change places.
void appendValue(ResultColumn& column, const AggregateColumn& aggregate, GroupCell* cell,
                 const GoOn& goOn);

}  // namespace seriesdb
