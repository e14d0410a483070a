// The reader that answers a query at steps: one table. Not thread-safe but for cancel().
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "query/promql/step_query.h"
#include "query/samples/query_control.h"
#include "storage/engine/engine.h"
#include "storage/state/lane.h"

namespace seriesdb {

class StepReader {
  struct Key {};

 public:
  StepReader(Key key, Engine& engine, StepPlan plan);
  // Checks the plan and nothing else: kInvalidArgument. The engine must outlive the reader, and
  // what the plan lends the first next().
  static Result<std::unique_ptr<StepReader>> make(Engine& engine, StepPlan plan);

  // The table, and behind it the end. The first call selects the series and pins what is read.
  // kQueryLimit, kQueryTimeout, kClosed, kStorageCorrupt.
  Status next(StepTable& table, bool& isEnd);
  // Makes the next() that runs, and all later ones, end early with kClosed. Any thread.
  void cancel() { control_.cancel(); }
  // Frees all but the statistics. Not while next() runs, which may not be called any more.
  void release();
  // Where next() is to be called. It may do here what that would begin with.
  Lane lane() { return isShort() ? Lane::kHere : Lane::kQuery; }
  // What next() does there, about, in samples.
  std::uint64_t work() const { return shortWork_.value_or(0); }
  const QueryStats& stats() const { return stats_; }

 private:
  bool isShort();
  Status begin(std::vector<SeriesRef> refs);
  Status take(std::vector<SeriesRef>& refs);

  Engine& engine_;
  const StepPlan plan_;
  QueryControl control_;
  std::optional<PinnedIndex> index_;  // Until release(): labels are of it.
  QueryMemory memory_;                // Of the series.
  QueryStats stats_;
  bool isSelected_ = false;
  bool isRead_ = false;
  Status refused_;  // Why there is no query, once it is selected.
  std::optional<std::uint64_t> shortWork_ = 0;  // Of what is short.
  std::optional<StepQuery> query_;
};

}  // namespace seriesdb
