// A query of series at steps of time, as it comes over the boundary: plain data.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "common/base/status.h"
#include "index/selection/series_filter.h"
#include "query/expression/expression.h"
#include "query/promql/step_function.h"
#include "query/samples/read_plan.h"

namespace seriesdb {

// Times in milliseconds: start, start + step, …
struct StepGrid {
  std::int64_t start = 0;
  std::int64_t step = 1;
  std::size_t count = 0;

  std::int64_t at(std::size_t place) const {
    return start + step * static_cast<std::int64_t>(place);
  }
};

// Rows that were computed; lent.
struct StepRows {
  std::size_t rowCount = 0;
  StepGrid grid;
  std::span<const double> values;         // Row by row.
  std::span<const std::uint8_t> present;  // 1 where there is a value; empty: everywhere.
};

// Which labels of series count: those with these keys, or all others.
struct LabelChoice {
  bool isBy = false;
  std::vector<std::string> keys;
};

struct StepFolding {
  StepFold op;
  LabelChoice by;  // What makes a group; without `isBy` the metric does not count either.
};

// What is left of a row: the values that compare so.
struct StepComparison {
  ExpressionComparison op;
  double than;
};

struct StepLimits {
  std::uint64_t seriesMax = UINT64_MAX;
  std::uint64_t cellsMax = UINT64_MAX;  // Rows times steps, of all that is held at a time.
  std::uint64_t cellsBefore = 0;        // Of them, by what the same question holds already.
  QueryLimits read;
};

struct StepPlan {
  std::variant<SeriesFilter, StepRows> of;
  StepGrid grid;
  // At step t it has the samples with t - offset - window < ts <= t - offset.
  std::int64_t window = 0;
  std::int64_t offset = 0;
  StepFunction function = StepFunction::kLast;
  // Each has one value, or one for each step.
  std::vector<std::vector<double>> arguments;
  std::optional<StepFolding> fold;
  std::optional<StepComparison> kept;  // Of the rows, or of their folds.
  StepLimits limits;

  const StepRows* rows() const { return std::get_if<StepRows>(&of); }
  // Without an end the grid is empty; else the times that windows reach: (after, end].
  std::int64_t after() const { return grid.at(0) - offset - window; }
  std::int64_t end() const { return grid.at(grid.count - 1) - offset; }
  // kInvalidArgument.
  Status check() const;
};

}  // namespace seriesdb
