// Stops a running query: cancellation, deadline and limits, shared by its threads.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>

#include "common/base/clock.h"
#include "common/base/status.h"
#include "common/base/work_pace.h"
#include "query/samples/query_limits.h"

namespace seriesdb {

class QueryControl {
 public:
  // Callable from any thread. The query ends with kClosed soon after.
  void cancel() { isCancelled_.store(true, std::memory_order_relaxed); }

  // Counts decoded samples in the ranges, as QueryStats::rowsScanned does, so the limit is exact.
  // Called for every block of a series.
  Status count(const QueryLimits& limits, std::uint64_t samples) {
    const std::uint64_t before = samples_.fetch_add(samples, std::memory_order_relaxed);
    if (limits.samplesBefore + before + samples <= limits.samplesMax) return Status::okStatus();
    return {StatusCode::kQueryLimit, "the query reads more than max_query_samples = " +
                                         std::to_string(limits.samplesMax) + " samples"};
  }
  // Checks cancellation and the deadline, and yields to ingest. Called so often that a query stops
  // within about a millisecond. REQUIRES: no lock is held.
  Status look(const QueryLimits& limits) const {
    PacedThread::giveWay();
    if (isCancelled_.load(std::memory_order_relaxed)) {
      return {StatusCode::kClosed, "the query was cancelled"};
    }
    if (limits.deadlineNanos != 0 && monotonicNanos() > limits.deadlineNanos) {
      return {StatusCode::kQueryTimeout, "the query took longer than query_timeout_ms"};
    }
    return Status::okStatus();
  }
  // Resets the count of samples, because the next pass reads them again.
  void countAnew() { samples_.store(0, std::memory_order_relaxed); }
  static Status tooManyRows(const QueryLimits& limits) {
    return {StatusCode::kQueryLimit, "the query makes more than max_query_rows = " +
                                         std::to_string(limits.rowsMax) + " rows"};
  }

 private:
  std::atomic<bool> isCancelled_{false};
  std::atomic<std::uint64_t> samples_{0};
};

}  // namespace seriesdb
