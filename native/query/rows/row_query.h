// Raw rows of many series that pass a filter, with offset and limit. They are ordered by time and
// then by series id, or first by expressions.
//
// Rows are gathered series by series and sorted once. With a limit, only the best rows so far are
// kept. Samples beyond the worst of them are not read. If all rows are wanted, several threads
// gather some series each. Only cancel() is thread-safe.
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
  bool isDescending = false;  // By time. Series at one time ascend in either direction.
  // Order by these keys first, then by ascending time.
  Expression expressions;
  std::vector<OrderKey> keys;
  std::uint64_t offset = 0;
  std::uint64_t limit = UINT64_MAX;
};

class RowQuery {
  struct Key {};

 public:
  RowQuery(Key key, PinnedView view, ReadPlan plan, RowOrder order);
  // kInvalidArgument. Ignores the series.
  static Status check(const ReadPlan& plan, const RowOrder& order);
  // Checks the plan. `plan.refs` must ascend by series id.
  static Result<std::unique_ptr<RowQuery>> make(PinnedView view, ReadPlan plan, RowOrder order);

  // Reads everything; call it once. kQueryLimit, kQueryTimeout, kClosed, kStorageCorrupt.
  Status read(const Threads& threads);
  // All rows; valid after read().
  RowLists rows() const;
  // True if read() surely takes well under a millisecond.
  bool isShort() const { return isShort_; }
  void cancel() { control_.cancel(); }
  // Valid after read().
  const QueryStats& stats() const { return stats_; }

 private:
  using Row = SampleRow;

  // The state of one gathering thread, for series from place `begin` up to `end`.
  struct Part {
    Part(const PinnedView& view, const ReadPlan& plan, QueryControl& control)
        : reader(view, plan, control), memory(plan.limits) {}

    SeriesReader reader;
    QueryMemory memory;
    std::vector<Row> rows;
    std::vector<std::size_t> runs;  // The begin of each ordered run; after the sort only 0.
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
  std::vector<bool> isOpened_;  // Series already opened; used if a far offset needs several passes.
  bool isFew_ = false;          // True if the wanted rows fit the limit of held rows.
  std::optional<Row> after_;    // If set, only rows behind it count.
  QueryControl control_;
  QueryMemory memory_;
  std::unique_ptr<Part> alone_;  // The part of the calling thread; it serves several passes.
  QueryStats stats_;
  TimeRange useful_{INT64_MIN, INT64_MAX};  // Rows outside this range cannot be among the best.
  std::atomic<std::uint64_t> gathered_{0};  // Rows gathered by all parts.
  std::atomic<bool> hasFailed_{false};
  // One list, or one per slice of time. None has rows behind the wanted end.
  std::vector<std::vector<Row>> lists_;
  std::size_t begin_ = 0;  // The first wanted row in the first list.
};

}  // namespace seriesdb
