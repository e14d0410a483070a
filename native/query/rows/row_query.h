// Raw rows of many series that pass a filter, by time and then by series id, or first by
// expressions, with offset and limit.
//
// What passes is gathered series by series and sorted once; with a limit only the best rows so far
// are kept, and time past the worst of them is not read any more. Where all are wanted, threads
// gather those of some series each. Not thread-safe but for cancel().
#pragma once

#include <atomic>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "common/base/parallel.h"
#include "query/fold/aggregate_plan.h"
#include "query/rows/ordered_rows.h"
#include "query/rows/row_lists.h"
#include "query/samples/column_reader.h"
#include "query/samples/query_memory.h"
#include "query/samples/series_reader.h"

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

  // Reads everything, once. kQueryLimit, kQueryTimeout, kClosed, kStorageCorrupt.
  Status read(const Threads& threads);
  // After read(): all rows.
  RowLists rows() const;
  // Surely done in well under a millisecond.
  bool isShort() const { return isShort_; }
  void cancel() { control_.cancel(); }
  // Of read().
  const QueryStats& stats() const { return stats_; }

 private:
  using Row = SampleRow;

  // What a thread gathers with, and has gathered: of the series from one place to another.
  struct Part {
    Part(const PinnedView& view, const ReadPlan& plan, QueryControl& control)
        : reader(view, plan, control), memory(plan.limits) {}

    SeriesReader reader;
    QueryMemory memory;
    std::vector<Row> rows;
    std::vector<std::size_t> runs;  // Where each run of ordered rows begins; then, one of all.
    std::uint32_t begin = 0;
    std::uint32_t end = 0;
    Status status;
  };
  using Parts = std::vector<std::unique_ptr<Part>>;

  bool isBefore(const Row& a, const Row& b) const;
  Status gather(const Threads& threads);
  Status gatherOrdered();
  Status gatherBest(std::uint64_t wanted, bool isFew, const Threads& threads);
  Parts partsFor(const Threads& threads);
  Status gatherPart(Part& part);
  void beginAfter(const Row& row);
  Status gatherSeries(Part& part, std::uint32_t place);
  Status gatherStretch(Part& part, std::uint32_t place, const Stretch& stretch);
  bool hasEnough(const Part& part) const;
  void keepBest(Part& part);
  void sortRows(Part& part) const;
  Status take(const Parts& parts, const Threads& threads);
  std::vector<Row> slice(const std::vector<std::vector<Row>>& ordered, std::size_t number) const;

  const PinnedView view_;
  const ReadPlan plan_;
  const RowOrder order_;
  const bool isShort_;
  std::uint64_t wanted_ = 0;
  std::vector<bool> isOpened_;  // Which series were, when more than one look is needed.
  bool isFew_ = false;          // All that are wanted may be held.
  std::optional<Row> after_;    // Only what comes after it counts.
  QueryControl control_;
  QueryMemory memory_;
  std::unique_ptr<Part> alone_;  // Of whoever reads without others: it is asked more than once.
  QueryStats stats_;
  TimeRange useful_{INT64_MIN, INT64_MAX};  // Rows outside cannot be among the best.
  std::atomic<std::uint64_t> gathered_{0};  // Rows, by all parts.
  std::atomic<bool> hasFailed_{false};
  std::vector<std::vector<Row>> lists_;  // One, or slices of time; none behind the end.
  std::size_t begin_ = 0;                // Of the rows that are wanted, in the first.
};

}  // namespace seriesdb
