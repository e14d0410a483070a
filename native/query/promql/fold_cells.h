// Folds rows into groups, step by step, as Prometheus' aggregations do.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "query/promql/row_maker.h"
#include "query/promql/step_function.h"

namespace seriesdb {

// Steps are independent: threads may work on different steps at once.
class FoldCells {
 public:
  FoldCells(StepFold fold, std::size_t groupCount, std::size_t stepCount);

  // The bytes that so many cells take.
  static std::uint64_t bytesOf(StepFold fold, std::uint64_t cells);
  // Replaces the cells by the fold of a group that has this row alone.
  static void finishAlone(StepFold fold, StepCells row);
  // Adds a row to a group, at the steps from `from` up to `to`.
  void add(std::size_t group, StepCells row, std::size_t from, std::size_t to);
  // Writes the group's results to `row`. Call it once per group.
  void finish(std::size_t group, StepCells row) const;

 private:
  // The count of rows with a value. If the highest bit is set, `value` is a mean instead of a sum.
  using Count = std::uint32_t;
  static constexpr Count kIsMean = Count{1} << 31;

  static bool hasRest(StepFold fold);
  void addSums(std::size_t at, StepCells row, std::size_t from, std::size_t to);
  template <typename Add>
  void addEach(std::size_t at, StepCells row, std::size_t from, std::size_t to);
  double resultOf(std::size_t cell) const;

  struct Sum;
  struct Mean;
  template <bool isMax>
  struct Extreme;
  struct Tally;
  struct Variance;

  const StepFold fold_;
  const std::size_t stepCount_;
  std::vector<double> values_;
  // The rounding errors of sums, or the means of variances; empty for other folds.
  std::vector<double> rests_;
  std::vector<Count> counts_;
};

}  // namespace seriesdb
