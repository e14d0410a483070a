// Filters the cells of a row by a comparison with a number.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>

#include "query/promql/row_maker.h"
#include "query/promql/step_plan.h"

namespace seriesdb {

template <typename Compare>
bool keepCellsBy(Compare compare, double than, const StepCells& cells) {
  const double* values = cells.values.data();
  std::uint8_t* present = cells.present.data();
  std::uint8_t any = 0;
  for (std::size_t i = 0; i < cells.values.size(); ++i) {
    present[i] = static_cast<std::uint8_t>(present[i] & static_cast<int>(compare(values[i], than)));
    any |= present[i];
  }
  return any != 0;
}

// Removes the values that fail the comparison, as IEEE 754 defines it. True if any value remains.
inline bool keepCells(const StepComparison& kept, const StepCells& cells) {
  switch (kept.op) {
    case ExpressionComparison::kEqual:
      return keepCellsBy(std::equal_to<>(), kept.than, cells);
    case ExpressionComparison::kNotEqual:
      return keepCellsBy(std::not_equal_to<>(), kept.than, cells);
    case ExpressionComparison::kLess:
      return keepCellsBy(std::less<>(), kept.than, cells);
    case ExpressionComparison::kLessEqual:
      return keepCellsBy(std::less_equal<>(), kept.than, cells);
    case ExpressionComparison::kGreater:
      return keepCellsBy(std::greater<>(), kept.than, cells);
    case ExpressionComparison::kGreaterEqual:
      break;
  }
  return keepCellsBy(std::greater_equal<>(), kept.than, cells);
}

}  // namespace seriesdb
