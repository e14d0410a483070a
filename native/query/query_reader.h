// The reader that answers a query. Its life:
//
//   Selecting ──► one of the runs of query_runs.h ──► Ended
//       └───────► Refused, until that is told ──────────┘
//
// A list needs no selection and begins with its run. release() and a failed next() end each.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <optional>
#include <variant>
#include <vector>

#include "query/query_request.h"
#include "query/query_runs.h"
#include "query/samples/query_memory.h"
#include "query/samples/query_stats.h"
#include "storage/engine/engine.h"

namespace seriesdb {

// One query while it runs. Not thread-safe but for cancel().
class QueryReader {
  struct Key {};

 public:
  QueryReader(Key key, Engine& engine, QueryRequest request);
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
  // The same, for whom no answer will do: where most of such queries are short, and this one shows
  // only as it runs that it is not, the next call says that it is at its end. Instead of isShort().
  bool beginShort();
  // Where it is to be made.
  Lane lane() { return isShort() ? Lane::kHere : Lane::kQuery; }
  // Of what was read by the calls of next() so far. Not while one runs.
  const QueryStats& stats() const { return stats_; }

 private:
  struct Selecting {
    QueryRequest request;
  };
  struct Refused {
    Status why;
  };
  struct Ended {};
  using State = std::variant<Selecting, ColumnRun, ColumnTextRun, RowRun, RowTextRun, GroupRun,
                             GroupTextRun, ListRun, Refused, Ended>;

  bool selectFew();
  void openList(QueryRequest request);
  void begin(std::vector<SeriesRef> refs, std::uint64_t startNanos);
  Status open(QueryRequest request);
  Status openColumns(QueryRequest request);
  Status openRows(QueryRequest request);
  Status openGroups(QueryRequest request);
  template <typename Next, typename... Args>
  void become(Args&&... args);
  Status run(QueryBatch& batch);
  void noteReads(const QueryStats& reads);

  Engine& engine_;
  std::optional<PinnedIndex> pinned_;  // Until release().
  const SeriesIndex& index_;
  QueryMemory memory_;  // Of the series; the runs count what else they hold.
  QueryStats stats_;
  std::atomic<bool> isCancelled_{false};
  std::mutex mutex_;  // Held to change `state_`, and by cancel() to look at it.
  State state_;
};

}  // namespace seriesdb
