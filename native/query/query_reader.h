// The reader that answers a query. Its states:
//
//   Selecting ──► one of the runs of query_runs.h ──► Ended
//       └───────► Refused, until next() reports it ─────┘
//
// A list needs no selection and starts with its run. release() and a failed next() end every state.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "common/base/lock_order.h"
#include "common/base/status.h"
#include "common/types/identity.h"
#include "index/pinned_index.h"
#include "query/samples/query_memory.h"
#include "query/samples/query_stats.h"
#include "storage/state/lane.h"

namespace seriesdb {

class Engine;
struct QueryBatch;
struct QueryRequest;

// One query while it runs. Only cancel() is thread-safe.
class QueryReader {
  struct Key {};

 public:
  QueryReader(Key key, Engine& engine, QueryRequest request);
  ~QueryReader();
  // Only checks the request: kInvalidArgument. The engine must outlive the reader.
  static Result<std::unique_ptr<QueryReader>> make(Engine& engine, QueryRequest request);

  // The first call selects the series and pins the view; this alone may take long. kSeriesNotFound
  // (no series matches the filter), kQueryLimit, kStorageCorrupt.
  Status next(QueryBatch& batch);
  // Callable from any thread.
  void cancel();
  // Frees everything except the statistics. next() must not run now, nor be called later.
  void release();
  // True if the next call surely takes well under a millisecond, as isShort() itself does. Before
  // the first next(), isShort() may already do the start of that call.
  bool isShort();
  // Replaces isShort() if the caller accepts a missing answer. True also if most queries of this
  // kind are short. If such a query turns out long while it runs, next() reports the end.
  bool beginShort();
  // The thread that should make the next call.
  Lane lane() { return isShort() ? Lane::kHere : Lane::kQuery; }
  // The reads of all calls of next() so far. Not to be called while one runs.
  const QueryStats& stats() const { return stats_; }

 private:
  struct State;

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
  std::optional<PinnedIndex> pinned_;  // Null after release().
  const SeriesIndex& index_;
  QueryMemory memory_;  // Counts the series; the runs count the rest.
  QueryStats stats_;
  std::atomic<bool> isCancelled_{false};
  // Held to change `state_`; cancel() holds it to read it.
  OrderedMutex<LockRank::kQueryState> mutex_;
  std::unique_ptr<State> state_;
};

}  // namespace seriesdb
