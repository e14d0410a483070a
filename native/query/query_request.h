// A query as it comes over the boundary, and the reader that answers it.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>
#include <variant>
#include <vector>

#include "engine/engine.h"
#include "index/series_filter.h"
#include "print/table_text.h"
#include "query/aggregate_query.h"
#include "query/list_query.h"
#include "query/row_query.h"
#include "query/sample_text.h"
#include "read/column_reader.h"
#include "read/query_memory.h"

namespace seriesdb {

enum class QueryAnswer : std::uint8_t { kColumns, kGroups, kRows, kList };

struct QueryRequest {
  QueryAnswer answer = QueryAnswer::kColumns;
  // By ids, of which unknown ones have no samples; or else by filter.
  std::variant<std::vector<SeriesId>, SeriesFilter> series;
  std::uint64_t seriesMax = UINT64_MAX;
  bool isOfOneSeries = false;    // Nothing is read where there are several. Of kRows.
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
  // Checks the request and nothing else: kInvalidArgument. The engine must outlive the reader.
  static Result<std::unique_ptr<QueryReader>> make(Engine& engine, QueryRequest request);

  // The first call selects the series and pins what is read, which may take long by itself:
  // kSeriesNotFound (a filter that matches none), kQueryLimit, kStorageCorrupt.
  Status next(QueryBatch& batch);
  // Any thread.
  void cancel();
  // Frees all but the statistics. Not while next() runs, which may not be called any more.
  void release();
  // Whether the next call surely takes well under a millisecond, as this one does. Before the first
  // it may do what that would begin with.
  bool isShort();
  QueryStats stats() const;

 private:
  QueryReader(Engine& engine, QueryRequest request)
      : engine_(engine),
        pinned_(engine.index()),
        index_(**pinned_),
        request_(std::move(request)),
        memory_(request_.plan.read.limits) {}

  static Status check(const QueryRequest& request);
  void openList();
  std::optional<std::vector<SeriesRef>> findSeries(bool isQuick) const;
  void begin(std::vector<SeriesRef> refs, std::uint64_t startNanos);
  Status takeSeries(std::vector<SeriesRef> refs);
  void notePlaces();
  void noteKinds();
  Status open();
  Status openColumns(PinnedView view, TimeRange hull);
  Status openRows(PinnedView view);
  Status openGroups();
  Status runGroups(ResultTable& table);
  PostTask post() const;
  std::size_t threadCount() const;
  Status nextTexts(RowTexts& texts);

  Engine& engine_;
  std::optional<PinnedIndex> pinned_;  // Until release().
  const SeriesIndex& index_;
  QueryRequest request_;  // Until it has begun.
  QueryMemory memory_;    // Of the series; the readers below count what else they hold.
  QueryStats stats_;      // Of the selection; after release() all.
  bool hasBegun_ = false;
  Status begun_;  // Why there is nothing to read.
  bool isShort_ = false;
  bool isDone_ = false;
  std::atomic<bool> isCancelled_{false};
  std::mutex mutex_;  // Held to set what cancel() reads of the readers below.
  std::optional<TextPlan> text_;
  std::unique_ptr<ColumnReader> columns_;
  std::unique_ptr<AggregateQuery> groups_;
  std::unique_ptr<RowQuery> rows_;
  std::unique_ptr<ListQuery> list_;
  std::unique_ptr<TableText> tableText_;
  std::unique_ptr<SampleText> sampleText_;
};

}  // namespace seriesdb
