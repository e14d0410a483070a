// Runs a grouped query: selected series, folded into groups and buckets.
//
// Series are split over the threads in parts that depend on the plan alone. The parts' cells are
// merged in order, so an answer does not depend on timing. If the series are few, the buckets are
// split instead: one thread folds each window of buckets.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "common/base/parallel.h"
#include "common/types/result_table.h"
#include "index/index_holder.h"
#include "query/fold/aggregate_plan.h"
#include "query/fold/argument_streams.h"
#include "query/fold/group_table.h"
#include "query/fold/series_fold.h"
#include "query/group_index.h"
#include "query/keys/key_tuples.h"
#include "query/samples/query_control.h"
#include "query/samples/query_memory.h"
#include "query/samples/query_stats.h"
#include "query/samples/time_slice.h"
#include "storage/engine/engine.h"
#include "storage/view/view.h"

namespace seriesdb {

struct AggregatePart;
struct Stretch;

class AggregateQuery {
  struct Key {};
  // A query's ranges, cut to the time bounds of its series, and a view pinned after the cut.
  struct Reach {
    std::vector<TimeRange> ranges;
    PinnedView view;
  };

 public:
  AggregateQuery(Key key, Reach reach, PinnedIndex index, AggregatePlan plan);
  // Checks the plan. Its series must ascend and belong to the index. The engine must outlive the
  // query.
  static Result<std::unique_ptr<AggregateQuery>> make(const Engine& engine, PinnedIndex index,
                                                      AggregatePlan plan);
  // The same over a view that the caller has pinned and checked for damaged segments.
  static Result<std::unique_ptr<AggregateQuery>> make(PinnedView view, PinnedIndex index,
                                                      AggregatePlan plan);

  // Makes one row for each group and bucket that has a sample: the keys, then the aggregates. Call
  // it once. kQueryLimit, kQueryTimeout, kClosed, kStorageCorrupt.
  Status run(const Threads& threads, ResultTable& table);
  // True if run() surely takes well under a millisecond.
  bool isShort() const { return isShortIn(ranges_); }
  // True if the first search window for the newest buckets is short. Without such a window, the
  // whole query must be short. Afterwards run() searches that window alone. If the window holds too
  // few buckets, isLeft() turns true and run() gives no answer.
  bool beginShort();
  bool isLeft() const { return isLeft_; }
  void cancel() { control_.cancel(); }
  // Valid after run().
  const QueryStats& stats() const { return stats_; }

 private:
  static Status prepare(AggregatePlan& plan);
  static Result<Reach> reachOf(const Engine& engine, const SeriesIndex& index,
                               const ReadPlan& read);
  Status fold(const Threads& threads, const std::vector<TimeRange>& ranges);
  bool isShortIn(std::span<const TimeRange> ranges) const;
  bool isNarrowed() const;
  std::optional<TimeRange> newest(std::uint64_t width) const;
  Status foldNewest(const Threads& threads);
  Status foldMore(const Threads& threads, TimeRange window);
  std::vector<TimeSlice> slicesOf(const std::vector<TimeRange>& ranges) const;
  std::vector<std::vector<TimeRange>> windowsIn(const std::vector<TimeRange>& ranges,
                                                std::size_t countMax) const;
  Status foldPart(AggregatePart& part);
  Status foldSeries(AggregatePart& part, std::uint32_t place);
  Status foldStretch(AggregatePart& part, const Stretch& stretch, bool& isFolded);
  Status checkHeld(AggregatePart& part) const;
  std::uint64_t cellBytes() const;
  Status foldEnds(AggregatePart& part, const std::vector<Stretch>& stretches, bool& isFolded);

  PinnedView view_;
  const PinnedIndex index_;
  const AggregatePlan plan_;
  const std::vector<TimeRange> ranges_;  // The ranges of Reach.
  GroupIndex groups_;
  std::vector<GroupCell> cells_;
  std::unique_ptr<ArgumentStreams> streams_;  // Null without arguments.
  // Indexed by the cells' groups; null if no key is an expression.
  std::unique_ptr<KeyTuples> tuples_;
  QueryControl control_;
  QueryMemory memory_;  // Memory that remains after the parts are merged: cells and answer.
  std::uint64_t heldValues_ = 0;  // Values that the folds so far hold.
  QueryStats stats_;
  bool isOnlyBegun_ = false;
  bool isLeft_ = false;
  bool wantsFirst_ = false;  // Both are set only if the ends of series suffice.
  bool wantsLast_ = false;
};

}  // namespace seriesdb
