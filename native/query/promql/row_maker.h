// The samples of one row to its values at the steps of a plan: windows by two pointers that move
// forward.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "query/promql/step_brake.h"
#include "query/promql/step_plan.h"
#include "query/promql/step_samples.h"
#include "query/promql/step_window.h"

namespace seriesdb {

// Of one thread.
class RowMaker {
 public:
  // Both must outlive it.
  RowMaker(const StepPlan& plan, StepBrake& brake) : plan_(plan), brake_(brake) {}

  // Fills the cells, and says in `isAny` whether any has a value. The row loses its stale markers
  // where the function does not see them. REQUIRES: not kSamples.
  Status make(StepSamples& samples, StepCells cells, bool& isAny);

 private:
  template <typename Function>
  Status each(const StepColumns& row, StepCells cells, Function function);
  template <typename OfWindow>
  Status eachWhole(const StepColumns& row, StepCells cells, std::size_t sizeMin, OfWindow ofWindow);
  Status makeIncremental(const StepColumns& row, StepCells cells);
  Status makePlain(const StepColumns& row, StepCells cells);
  Status makeWhole(const StepColumns& row, StepCells cells);
  Status makeOrdered(const StepColumns& row, StepCells cells);
  Status makeLinear(const StepColumns& row, StepCells cells);
  std::span<double> copyOf(const StepColumns& row, const StepWindow& window);

  const StepPlan& plan_;
  StepBrake& brake_;
  bool isAny_ = false;
  std::vector<double> scratch_;
};

}  // namespace seriesdb
