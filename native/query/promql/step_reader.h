// The reader that answers a query at steps with one table. Only cancel() is thread-safe.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "index/pinned_index.h"
#include "query/promql/step_plan.h"
#include "query/samples/query_control.h"
#include "query/samples/query_memory.h"
#include "query/samples/query_stats.h"
#include "storage/state/lane.h"

namespace seriesdb {

class Engine;
class StepQuery;
struct StepTable;

class StepReader {
  struct Key {};

 public:
  StepReader(Key key, Engine& engine, StepPlan plan);
  ~StepReader();
  // Only checks the plan: kInvalidArgument. The engine must outlive the reader. Spans that the plan
  // borrows must outlive the first next().
  static Result<std::unique_ptr<StepReader>> make(Engine& engine, StepPlan plan);

  // Returns the table, then the end. The first call selects the series and pins the view.
  // kQueryLimit, kQueryTimeout, kClosed, kStorageCorrupt.
  Status next(StepTable& table, bool& isEnd);
  // Ends a running next(), and all later ones, early with kClosed. Callable from any thread.
  void cancel() { control_.cancel(); }
  // Frees everything except the statistics. next() must not run now, nor be called later.
  void release();
  // The thread that should call next(). lane() may already do the start of that call.
  Lane lane() { return isShort() ? Lane::kHere : Lane::kQuery; }
  // The approximate work of a next() on Lane::kHere, in samples.
  std::uint64_t work() const { return shortWork_.value_or(0); }
  const QueryStats& stats() const { return stats_; }

 private:
  bool isShort();
  Status begin(std::vector<SeriesRef> refs);
  Status take(std::vector<SeriesRef>& refs);

  Engine& engine_;
  const StepPlan plan_;
  QueryControl control_;
  std::optional<PinnedIndex> index_;  // Null after release(). Labels are views of it.
  QueryMemory memory_;                // Counts the series.
  QueryStats stats_;
  bool isSelected_ = false;
  bool isRead_ = false;
  Status refused_;  // The reason why there is no query after the selection.
  std::optional<std::uint64_t> shortWork_ = 0;  // Null if the query is not short.
  std::unique_ptr<StepQuery> query_;
};

}  // namespace seriesdb
