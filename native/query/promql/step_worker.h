// The state of one thread in a query at steps.
#pragma once

#include <optional>
#include <span>

#include "query/promql/row_maker.h"
#include "query/promql/series_samples.h"
#include "query/promql/step_brake.h"
#include "query/promql/step_plan.h"
#include "query/promql/step_samples.h"
#include "query/samples/query_memory.h"

namespace seriesdb {

// Not thread-safe.
class StepWorker {
 public:
  // The plan and the control must outlive it.
  StepWorker(const StepPlan& plan, QueryControl& control)
      : plan_(plan),
        brake_(plan.limits.read, control),
        maker_(plan, brake_),
        memory_(plan.limits.read) {}

  // Reads stored series from here on. The slice and the view must outlive it.
  void readFrom(const View& view, const TimeSlice& slice, std::int64_t perSecond) {
    samples_.emplace(view, slice, perSecond, brake_);
  }
  // Both set the row: to the first of the series, or to a computed row.
  Status read(std::span<const SeriesRef> series);
  Status readComputed(const StepRows& rows, std::size_t place);
  // Computes the row's values. REQUIRES: not kSamples.
  Status make(StepCells cells, bool& isAny) { return maker_.make(row_, cells, isAny); }
  // Moves the row, without stale markers, to `into`. The worker still counts the memory.
  Status take(StepSamples& into);
  // The caller counts the taken memory from now on.
  void giveBackTaken() { takenBytes_ = 0; }

  QueryStats stats() const { return samples_ ? samples_->stats() : QueryStats{}; }

 private:
  const StepPlan& plan_;
  StepBrake brake_;
  RowMaker maker_;
  std::optional<SeriesSamples> samples_;
  StepSamples row_;
  std::uint64_t takenBytes_ = 0;
  QueryMemory memory_;
};

}  // namespace seriesdb
