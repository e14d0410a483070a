// Runs a query at steps: from the samples of selected series, or from computed rows, to a table.
//
// Rows are made in waves of some hundred by several threads; one thread makes a row. Then each wave
// is folded step by step in the order of the rows, or kept. So an answer depends neither on timing
// nor on the number of threads. A fold holds only its groups and one wave.
#pragma once

#include <atomic>
#include <memory>
#include <optional>
#include <vector>

#include "common/base/parallel.h"
#include "index/index_holder.h"
#include "query/promql/fold_cells.h"
#include "query/promql/step_plan.h"
#include "query/promql/step_table.h"
#include "query/promql/step_worker.h"
#include "query/samples/query_control.h"
#include "query/samples/query_memory.h"
#include "query/samples/query_stats.h"
#include "query/samples/time_slice.h"
#include "storage/engine/engine.h"
#include "storage/view/view.h"

namespace seriesdb {

// Not thread-safe.
class StepQuery {
 public:
  // The input: the series of a view in the order of their rows, or the plan's computed rows. The
  // plan and the control must outlive the query.
  struct Source {
    std::optional<PinnedView> view;
    PinnedIndex index;
    std::int64_t perSecond = 1;
    std::vector<SeriesRef> refs;
  };
  StepQuery(const StepPlan& plan, QueryControl& control, Source source);

  // Call it once. kQueryLimit, kQueryTimeout, kClosed, kStorageCorrupt.
  Status run(const Threads& threads, StepTable& table);
  // The approximate count of samples to process if run() surely takes well under a millisecond;
  // else null.
  std::optional<std::uint64_t> shortWork() const;
  // After run().
  const QueryStats& stats() const { return stats_; }

 private:
  // Rows that are made together.
  struct Wave {
    std::size_t begin;  // The place of the first, among all rows.
    std::size_t count;
    StepTable& into;  // Its rows from `base` on receive the wave.
    std::size_t base;
  };

  bool isOfSamples() const { return plan_.function == StepFunction::kSamples; }
  // True if rows are folded into groups. If every row is alone in its group, it is folded in place.
  bool isFolded() const { return plan_.fold.has_value() && !isEachAlone_; }
  std::size_t rowCount() const;
  std::uint64_t workOf(std::uint64_t samples) const;
  Status prepare(std::size_t threadCount);
  Status runWave(const Threads& threads, std::size_t begin, std::size_t count, StepTable& table);
  void orderByRef(const Wave& wave);
  Status makeRows(const Threads& threads, const Wave& wave);
  Status makeUnits(StepWorker& worker, const Wave& wave);
  Status makeRow(StepWorker& worker, const Wave& wave, std::size_t at);
  void foldRows(const Threads& threads, const Wave& wave);
  void keepRows(const Wave& wave);
  void keepSamples(const Wave& wave);
  Status checkCells(std::uint64_t rows, std::uint64_t width) const;
  Status hold(const StepTable& table);
  Status finish(StepTable& table);
  Status finishGroups(StepTable& table);
  void noteReads();

  const StepPlan& plan_;
  QueryControl& control_;
  const Source source_;
  TimeSlice slice_;
  QueryMemory memory_;
  QueryStats stats_;
  std::vector<std::unique_ptr<StepWorker>> workers_;
  // State of the wave.
  std::atomic<std::size_t> next_{0};
  std::atomic<bool> hasFailed_{false};
  std::atomic<std::uint64_t> listed_{0};  // Samples listed in all waves, for kSamples.
  // The wave's rows by ref, because neighbouring refs have neighbouring chunks.
  std::vector<std::uint32_t> order_;
  std::vector<SeriesRef> orderedRefs_;
  std::vector<std::uint8_t> hasAny_;  // Indexed by row of the wave.
  std::vector<StepSamples> lists_;    // For kSamples, indexed by row of the wave.
  std::vector<SeriesRef> keptRefs_;   // The series of the table's rows.
  // State of the fold.
  bool isEachAlone_ = false;  // True if each row is alone in its group.
  StepTable wave_;
  RowGroups groups_;
  std::optional<FoldCells> cells_;
  std::vector<std::uint32_t> keptGroups_;  // Ordered by the first row with a value.
  std::vector<std::uint8_t> isKept_;       // Indexed by group.
};

}  // namespace seriesdb
