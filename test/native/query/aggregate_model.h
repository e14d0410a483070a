// What aggregates are of rows, by the plainest folds.
#pragma once

#include <cstddef>
#include <vector>

#include "fold/aggregate_plan.h"

namespace seriesdb::test {

struct ModelRow {
  Timestamp ts;
  std::size_t place;  // Of the series.
  double value;       // NaN for null.
};

// Of the rows of a group, by time and then by place; NaN for null.
double expectedOf(const AggregateColumn& column, const std::vector<ModelRow>& rows,
                  const std::vector<bool>& isCounter);

}  // namespace seriesdb::test
