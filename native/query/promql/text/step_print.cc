#include "query/promql/text/step_print.h"

#include <algorithm>

namespace seriesdb {
namespace {

bool ascend(std::span<const std::uint32_t> ends, std::size_t most) {
  return std::ranges::is_sorted(ends) && (ends.empty() || ends.back() <= most);
}

Status checkColumn(const StepPrint::Column& column, std::size_t rowCount) {
  const auto isKnown = [&column](std::uint32_t code) { return code <= column.ends.size(); };
  const bool isSound = column.codes.size() == rowCount &&
                       std::ranges::all_of(column.codes, isKnown) &&
                       ascend(column.ends, column.texts.size());
  return isSound ? Status::okStatus() : Status::invalid("a label column is malformed");
}

}  // namespace

Status StepPrint::check() const {
  for (const Column& column : labels) {
    const Status checked = checkColumn(column, rowCount);
    if (!checked.ok()) return checked;
  }
  const bool isSized =
      isOfSamples ? ends.size() == rowCount && ascend(ends, values.size()) &&
                        times.size() == values.size()
                  : rowCount == 0 || (values.size() / rowCount == grid.count &&
                                      values.size() % rowCount == 0);
  const auto isRow = [this](std::uint32_t row) { return row < rowCount; };
  if (!isSized || !std::ranges::all_of(order, isRow)) {
    return Status::invalid("rows must have a value for each of their times");
  }
  if (isInstant && (isOfSamples || grid.count > 1)) {
    return Status::invalid("an instant query has one step");
  }
  if (!present.empty() && present.size() != values.size()) {
    return Status::invalid("present must be as long as values");
  }
  return Status::okStatus();
}

}  // namespace seriesdb
