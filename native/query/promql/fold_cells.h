// Groups by steps: what rows are folded into, one after the other, as Prometheus' aggregations do.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "query/promql/row_maker.h"
#include "query/promql/step_function.h"

namespace seriesdb {

// Steps are apart from each other: threads may work on different ones.
class FoldCells {
 public:
  FoldCells(StepFold fold, std::size_t groupCount, std::size_t stepCount);

  // What it will hold.
  static std::uint64_t bytesOf(StepFold fold, std::uint64_t cells);
  // What a group of this row alone comes to, in its place.
  static void finishAlone(StepFold fold, StepCells row);
  // Adds a row to a group, at the steps from `from` up to `to`.
  void add(std::size_t group, StepCells row, std::size_t from, std::size_t to);
  // What the group has come to. Once.
  void finish(std::size_t group, StepCells row) const;

 private:
  // So many rows had a value; the highest bit: `value` is a mean, and not a sum.
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
  std::vector<double> rests_;  // What sums round away, or means of variances; else empty.
  std::vector<Count> counts_;
};

}  // namespace seriesdb
