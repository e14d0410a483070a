// A query as it comes over the boundary, and the reader that answers it.
#pragma once

#include <atomic>
#include <memory>
#include <optional>
#include <variant>
#include <vector>

#include "engine/engine.h"
#include "index/series_filter.h"
#include "query/aggregate_query.h"
#include "query/column_reader.h"
#include "query/list_query.h"
#include "query/row_query.h"
#include "query/sample_text.h"
#include "query/table_text.h"

namespace seriesdb {

enum class QueryAnswer : std::uint8_t { kColumns, kGroups, kRows, kList };

struct QueryRequest {
  QueryAnswer answer = QueryAnswer::kColumns;
  // By ids, of which unknown ones have no samples; or else by filter.
  std::variant<std::vector<SeriesId>, SeriesFilter> series;
  std::uint64_t seriesMax = UINT64_MAX;
  AggregatePlan plan;            // Less the series, their kinds and the unit.
  RowOrder order;                // Of kRows.
  ListPlan list;                 // Of kList, less the filter.
  std::optional<TextPlan> text;  // The rows as text; not of kColumns, always of kList.
};

struct QueryBatch {
  ColumnBatch columns;  // kColumns and kRows.
  ResultTable table;    // kGroups.
  RowTexts texts;       // Where text was asked for.
  bool isEnd = false;   // There is nothing in it.
};

// One query while it runs. Not thread-safe but for cancel().
class QueryReader {
 public:
  // Selects the series and pins what is read. kInvalidArgument, kSeriesNotFound (a filter that
  // matches none), kQueryLimit, kStorageCorrupt. A list is only checked: its first next() selects.
  // The engine must outlive the reader.
  static Result<std::unique_ptr<QueryReader>> open(Engine& engine, QueryRequest request);

  Status next(QueryBatch& batch);
  void cancel();
  // Frees all but the statistics. Not while next() runs, which may not be called any more.
  void release();
  // The next call surely takes well under a millisecond.
  bool isShort() const { return isShort_; }
  QueryStats stats() const;

 private:
  explicit QueryReader(Engine& engine) : engine_(engine) {}

  void openList(QueryRequest request);
  Status selectSeries(QueryRequest& request);
  Status notePlaces(QueryRequest& request) const;
  void noteKinds(AggregatePlan& plan) const;
  Status runGroups(ResultTable& table);
  Status nextTexts(RowTexts& texts);

  Engine& engine_;
  QueryStats stats_;  // Of the selection; after release() all.
  bool isShort_ = false;
  bool isDone_ = false;
  std::atomic<bool> isCancelled_{false};
  std::optional<TextPlan> text_;
  std::unique_ptr<ColumnReader> columns_;
  std::unique_ptr<AggregateQuery> groups_;
  std::unique_ptr<RowQuery> rows_;
  std::unique_ptr<ListQuery> list_;
  std::unique_ptr<TableText> tableText_;
  std::unique_ptr<SampleText> sampleText_;
};

}  // namespace seriesdb
