// A query of series at steps, as it crosses the boundary to JavaScript: plain data.
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

// Computed rows; the spans are borrowed.
struct StepRows {
  std::size_t rowCount = 0;
  StepGrid grid;
  std::span<const double> values;         // Row by row.
  std::span<const std::uint8_t> present;  // 1 if there is a value; empty if every cell has one.
};

// A choice of labels: these keys if isBy, else all other keys.
struct LabelChoice {
  bool isBy = false;
  std::vector<std::string> keys;
};

struct StepFolding {
  StepFold op;
  // The labels that make a group. Without `isBy` the metric's name does not count either.
  LabelChoice by;
};

// A filter of a row: only values that pass the comparison stay.
struct StepComparison {
  ExpressionComparison op;
  double than;
};

struct StepLimits {
  std::uint64_t seriesMax = UINT64_MAX;
  std::uint64_t cellsMax = UINT64_MAX;  // The most cells (rows times steps) held at a time.
  // Cells that the same request already holds; they count against cellsMax.
  std::uint64_t cellsBefore = 0;
  QueryLimits read;
};

struct StepPlan {
  std::variant<SeriesFilter, StepRows> of;
  StepGrid grid;
  // Step t sees the samples with t - offset - window < ts <= t - offset.
  std::int64_t window = 0;
  std::int64_t offset = 0;
  StepFunction function = StepFunction::kLast;
  // Each argument has one value, or one for each step.
  std::vector<std::vector<double>> arguments;
  std::optional<StepFolding> fold;
  std::optional<StepComparison> kept;  // Applies to the rows, or to their folds.
  StepLimits limits;

  const StepRows* rows() const { return std::get_if<StepRows>(&of); }
  // Windows cover the times (after, end]. REQUIRES for end(): a grid that is not empty.
  std::int64_t after() const { return grid.at(0) - offset - window; }
  std::int64_t end() const { return grid.at(grid.count - 1) - offset; }
  // kInvalidArgument.
  Status check() const;
};

}  // namespace seriesdb
