#include "query/promql/step_plan.h"

#include <algorithm>

namespace seriesdb {
namespace {

// Bounds of times and spans: sums of a few of them, and one in nanoseconds, do not overflow.
constexpr std::int64_t kTimeMax = std::int64_t{1} << 53;
constexpr std::size_t kCountMax = std::size_t{1} << 27;

bool isTime(std::int64_t ms) { return -kTimeMax <= ms && ms <= kTimeMax; }

Status checkGrid(const StepGrid& grid) {
  if (grid.count > kCountMax) return Status::invalid("count is too large");
  if (!isTime(grid.start) || grid.step < 1 || grid.step > kTimeMax) {
    return Status::invalid("start and step must be times, step above 0");
  }
  const auto span = static_cast<std::int64_t>(std::max<std::size_t>(grid.count, 1) - 1);
  const bool isFar = span > 0 && grid.step > 2 * kTimeMax / span;
  if (isFar) return Status::invalid("the steps reach too far");
  return Status::okStatus();
}

Status checkRows(const StepRows& rows) {
  const Status grid = checkGrid(rows.grid);
  if (!grid.ok()) return grid;
  const bool isSized = rows.grid.count == 0
                           ? rows.values.empty()
                           : rows.values.size() % rows.grid.count == 0 &&
                                 rows.values.size() / rows.grid.count == rows.rowCount;
  const bool hasPresence = rows.present.empty() || rows.present.size() == rows.values.size();
  return isSized && hasPresence ? Status::okStatus()
                                : Status::invalid("rows must have a value for each of their times");
}

}  // namespace

Status StepPlan::check() const {
  Status checked = checkGrid(grid);
  if (checked.ok() && rows() != nullptr) checked = checkRows(*rows());
  if (!checked.ok()) return checked;
  if (!isTime(window) || window < 0 || !isTime(offset)) {
    return Status::invalid("window and offset must be spans of time");
  }
  if (arguments.size() != argumentsOf(function)) {
    return Status::invalid("the function has the wrong number of arguments");
  }
  for (const std::vector<double>& values : arguments) {
    if (values.size() == 1 || values.size() == grid.count) continue;
    return Status::invalid("an argument has one value, or one for each step");
  }
  const bool isList = function == StepFunction::kSamples;
  if (isList && (grid.count != 1 || fold)) return Status::invalid("samples need exactly one step");
  if (kept && (isList || rows() != nullptr)) {
    return Status::invalid("a comparison filters stored series only");
  }
  if (fold && rows() != nullptr) return Status::invalid("computed rows have no labels to fold by");
  return Status::okStatus();
}

}  // namespace seriesdb
