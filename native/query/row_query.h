// Raw rows of many series that pass a filter, by time and then by series id, or first by
// expressions, with offset and limit.
//
// What passes is gathered series by series and sorted once; with a limit only the best rows so far
// are kept, and time past the worst of them is not read any more. Not thread-safe but for cancel().
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "fold/aggregate_plan.h"
#include "query/ordered_rows.h"
#include "read/column_reader.h"
#include "read/query_memory.h"
#include "read/series_reader.h"

namespace seriesdb {

struct RowOrder {
  bool isDescending = false;  // By time; series of one time ascend all the same.
  // Before time, which then ascends.
  Expression expressions;
  std::vector<OrderKey> keys;
  std::uint64_t offset = 0;
  std::uint64_t limit = UINT64_MAX;
};

class RowQuery {
  struct Key {};

 public:
  RowQuery(Key key, PinnedView view, ReadPlan plan, RowOrder order);
  // kInvalidArgument. Series do not count.
  static Status check(const ReadPlan& plan, const RowOrder& order);
  // Checks the plan. `plan.refs` must ascend by series id.
  static Result<std::unique_ptr<RowQuery>> make(PinnedView view, ReadPlan plan,
                                                RowOrder order);

  // Replaces `batch` by the next rows, one entry of `series` for each and no `ends`; without any at
  // the end.
  // The first call reads everything. kQueryLimit, kQueryTimeout, kClosed, kStorageCorrupt.
  Status next(ColumnBatch& batch);
  // Surely done in well under a millisecond.
  bool isShort() const { return isShort_; }
  void cancel() { control_.cancel(); }
  // Of the first call of next().
  const QueryStats& stats() const { return stats_; }

 private:
  using Row = SampleRow;

  bool isBefore(const Row& a, const Row& b) const;
  Status gather();
  Status gatherOrdered();
  Status gatherBest(std::uint64_t wanted, bool isFew);
  void beginAfter(const Row& row);
  Status gatherSeries(std::uint32_t place);
  Status gatherStretch(std::uint32_t place, const Stretch& stretch);
  bool hasEnough() const;
  void keepBest();
  void sortRows();

  const ReadPlan plan_;
  const RowOrder order_;
  const bool isShort_;
  std::uint64_t wanted_ = 0;
  std::vector<bool> isOpened_;  // Which series were, when more than one look is needed.
  bool isFew_ = false;          // All that are wanted may be held.
  std::optional<Row> after_;    // Only what comes after it counts.
  QueryControl control_;
  QueryMemory memory_;
  SeriesReader reader_;
  QueryStats stats_;
  TimeRange useful_{INT64_MIN, INT64_MAX};  // Rows outside cannot be among the best.
  std::vector<Row> rows_;
  std::vector<std::size_t> runs_;  // Where each run of ordered rows begins.
  bool isGathered_ = false;
  std::size_t at_ = 0;
};

}  // namespace seriesdb
