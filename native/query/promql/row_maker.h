// Turns the samples of one row into values at the steps of a plan. Two pointers that only move
// forward find the windows.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "query/promql/step_brake.h"
#include "query/promql/step_plan.h"
#include "query/promql/step_samples.h"
#include "query/promql/step_window.h"

namespace seriesdb {

// Not thread-safe.
class RowMaker {
 public:
  // Both must outlive it.
  RowMaker(const StepPlan& plan, StepBrake& brake) : plan_(plan), brake_(brake) {}

  // Fills the cells; `isAny` becomes true if any has a value. If the function ignores stale
  // markers, the row loses them. REQUIRES: not kSamples.
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
