// The expected aggregates of rows, computed by plain folds.
#pragma once

#include <cstddef>
#include <vector>

#include "query/fold/aggregate_plan.h"

namespace seriesdb::test {

struct ModelRow {
  Timestamp ts;
  std::size_t place;  // The position of the series.
  double value;       // NaN for null.
};

struct ModelAnswer {
  ModelAnswer(double what, double by = 0) : value(what), slack(by) {}
  double value;  // NaN for null.
  double slack;  // The allowed error beyond the last digits of the answer.
};

// The rows of a group are sorted by time, then by place; their values are whole eighths.
ModelAnswer expectedOf(const AggregateColumn& column, const std::vector<ModelRow>& rows,
                       const std::vector<bool>& isCounter);

}  // namespace seriesdb::test
