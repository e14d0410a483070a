// Runs a query at steps: the samples of selected series, or computed rows, to a table.
//
// Rows are made some hundred at a time, by several threads, each row by one; then they are folded,
// step by step in the order of the rows, or kept. So nothing of an answer depends on timing or on
// the number of threads, and what is folded takes no more memory than its groups and those rows.
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
  // What it reads: the series of a view, in the order of their rows, or the computed rows of its
  // plan. The plan and the control must outlive it.
  struct Source {
    std::optional<PinnedView> view;
    PinnedIndex index;
    std::int64_t perSecond = 1;
    std::vector<SeriesRef> refs;
  };
  StepQuery(const StepPlan& plan, QueryControl& control, Source source);

  // Once. kQueryLimit, kQueryTimeout, kClosed, kStorageCorrupt.
  Status run(const Threads& threads, StepTable& table);
  // Of a run that is surely done in well under a millisecond: about how many samples it looks at.
  std::optional<std::uint64_t> shortWork() const;
  // After run().
  const QueryStats& stats() const { return stats_; }

 private:
  // Rows that are made at a time.
  struct Wave {
    std::size_t begin;  // The first of them, of all.
    std::size_t count;
    StepTable& into;    // From this row on.
    std::size_t base;
  };

  bool isOfSamples() const { return plan_.function == StepFunction::kSamples; }
  // Into groups of several rows; a row that is alone in its group is folded where it is.
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
  // Of the wave.
  std::atomic<std::size_t> next_{0};
  std::atomic<bool> hasFailed_{false};
  std::atomic<std::uint64_t> listed_{0};  // Samples, of kSamples, in all waves.
  std::vector<std::uint32_t> order_;     // Its rows by ref, where chunks lie beside one another.
  std::vector<SeriesRef> orderedRefs_;
  std::vector<std::uint8_t> hasAny_;     // By row of the wave.
  std::vector<StepSamples> lists_;         // Of kSamples, by row of the wave.
  std::vector<SeriesRef> keptRefs_;      // Of the rows of the table.
  // Of a fold.
  bool isEachAlone_ = false;  // Each row in its group.
  StepTable wave_;
  RowGroups groups_;
  std::optional<FoldCells> cells_;
  std::vector<std::uint32_t> keptGroups_;  // In the order of their first rows that have a value.
  std::vector<std::uint8_t> isKept_;       // By group.
};

}  // namespace seriesdb
