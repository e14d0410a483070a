// A query after its series are selected: one type for each form of its answer. All have
//
//   next(batch)  puts the next part of the answer into the batch, or reports the end;
//   isShort()    true if the next call surely takes well under a millisecond;
//   beginShort() as in QueryReader; only GroupTextRun has it;
//   cancel()     ends a running next(), and all later ones, with kClosed; any thread;
//   stats()      the reads so far, without work; not while next() runs.
#pragma once

#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "common/types/result_table.h"
#include "query/aggregate_query.h"
#include "query/list_query.h"
#include "query/print/table_text.h"
#include "query/rows/row_list_text.h"
#include "query/rows/row_lists.h"
#include "query/rows/row_query.h"
#include "query/sample_text.h"
#include "query/samples/column_reader.h"
#include "query/samples/query_memory.h"
#include "storage/engine/engine.h"

namespace seriesdb {

struct QueryBatch {
  ColumnBatch columns;  // Samples, or rows.
  ResultTable table;    // Groups; its texts live as long as the run.
  RowTexts texts;       // Set if text was requested.
  bool isEnd = false;   // True if the batch is empty.
  bool isLast = false;  // True if no batch follows; the run is no longer needed.
};

class ColumnRun {
 public:
  ColumnRun(PinnedView view, std::vector<SeriesRef> refs, TimeRange hull)
      : columns_(std::move(view), std::move(refs), hull) {}
  Status next(QueryBatch& batch);
  bool isShort() const { return false; }
  void cancel() { columns_.cancel(); }
  const QueryStats& stats() const { return columns_.stats(); }

 private:
  ColumnReader columns_;
};

class ColumnTextRun {
 public:
  // The index must outlive it. `refs` are the series of the columns.
  ColumnTextRun(PinnedView view, const std::vector<SeriesRef>& refs, TimeRange hull,
                const SeriesIndex& index, TextPlan plan)
      : columns_(std::move(view), refs, hull),
        text_([this](ColumnBatch& batch) { return columns_.next(batch); }, index, refs,
              std::move(plan)) {}
  Status next(QueryBatch& batch);
  bool isShort() const { return false; }
  void cancel() { columns_.cancel(); }
  const QueryStats& stats() const { return columns_.stats(); }

 private:
  ColumnReader columns_;
  SampleText text_;
};

class RowRun {
 public:
  // The engine must outlive it: its threads read the rows.
  RowRun(Engine& engine, std::unique_ptr<RowQuery> rows)
      : engine_(engine), rows_(std::move(rows)) {}
  Status next(QueryBatch& batch);
  bool isShort() const { return rows_->isShort(); }
  void cancel() { rows_->cancel(); }
  const QueryStats& stats() const { return rows_->stats(); }

 private:
  Engine& engine_;
  std::unique_ptr<RowQuery> rows_;
  std::optional<RowLists> lists_;  // The rows not yet returned; set by the first next().
};

class RowTextRun {
 public:
  // The engine, whose threads read the rows, and the index must outlive it.
  RowTextRun(Engine& engine, std::unique_ptr<RowQuery> rows, const SeriesIndex& index,
             std::vector<SeriesRef> refs, TextPlan plan)
      : engine_(engine), rows_(std::move(rows)), frames_(index, std::move(refs), std::move(plan)) {}
  Status next(QueryBatch& batch);
  bool isShort() const { return text_ ? text_->isNextShort() : rows_->isShort(); }
  void cancel() { rows_->cancel(); }
  const QueryStats& stats() const { return rows_->stats(); }

 private:
  Engine& engine_;
  std::unique_ptr<RowQuery> rows_;
  SeriesFrames frames_;
  std::optional<RowListText> text_;  // Set by the first next(), which does all the reading.
};

class GroupRun {
 public:
  // The engine must outlive it: its threads fold.
  GroupRun(Engine& engine, std::unique_ptr<AggregateQuery> groups)
      : engine_(engine), groups_(std::move(groups)), isShort_(groups_->isShort()) {}
  Status next(QueryBatch& batch);
  bool isShort() const { return isShort_ || isRead_; }
  void cancel() { groups_->cancel(); }
  const QueryStats& stats() const { return groups_->stats(); }

 private:
  Engine& engine_;
  std::unique_ptr<AggregateQuery> groups_;  // Owns texts of the table.
  const bool isShort_;
  bool isRead_ = false;
};

class GroupTextRun {
 public:
  // The engine must outlive it: its threads fold and print.
  GroupTextRun(Engine& engine, std::unique_ptr<AggregateQuery> groups, TextPlan plan)
      : engine_(engine), groups_(std::move(groups)), plan_(std::move(plan)) {}
  Status next(QueryBatch& batch);
  bool isShort() {
    if (text_) return text_->hasPrinted();
    if (!isShort_) isShort_ = groups_->isShort();
    return *isShort_;
  }
  bool beginShort() {
    if (!isShort_) isShort_ = groups_->beginShort();
    return *isShort_;
  }
  void cancel() { groups_->cancel(); }
  const QueryStats& stats() const { return groups_->stats(); }

 private:
  Engine& engine_;
  std::unique_ptr<AggregateQuery> groups_;
  TextPlan plan_;
  std::optional<bool> isShort_;    // Set by the first isShort() or beginShort().
  std::optional<TableText> text_;  // Set by the first next(), which does all the reading.
};

class ListRun {
 public:
  // The index and the memory must outlive it.
  ListRun(const SeriesIndex& index, ListPlan plan, TextPlan text, QueryMemory& memory)
      : list_(index, std::move(plan), std::move(text)),
        memory_(memory),
        isShort_(index.visibleCount() <= kShortSeries) {}
  Status next(QueryBatch& batch);
  bool isShort() const { return isShort_; }
  void cancel() { list_.cancel(); }
  const QueryStats& stats() const { return list_.stats(); }

 private:
  static constexpr std::uint32_t kShortSeries = 64;

  ListQuery list_;
  QueryMemory& memory_;
  const bool isShort_;
};

}  // namespace seriesdb
