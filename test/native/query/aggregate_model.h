// What aggregates are of rows, by the plainest folds.
#pragma once

#include <cstddef>
#include <vector>

#include "query/fold/aggregate_plan.h"

namespace seriesdb::test {

struct ModelRow {
  Timestamp ts;
  std::size_t place;  // Of the series.
  double value;       // NaN for null.
};

struct ModelAnswer {
  ModelAnswer(double what, double by = 0) : value(what), slack(by) {}
  double value;  // NaN for null.
  double slack;  // By how much a right answer may differ beyond its own last digits.
};

// Of the rows of a group, by time and then by place, whose values are whole eighths.
ModelAnswer expectedOf(const AggregateColumn& column, const std::vector<ModelRow>& rows,
                       const std::vector<bool>& isCounter);

}  // namespace seriesdb::test
