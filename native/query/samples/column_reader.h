// Reads the samples of many series as columns, in batches, for an engine outside the addon.
//
// Series follow in the given order, each ascending in time. Only cancel() is thread-safe. One
// thread at a time makes a batch.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <vector>

#include "common/base/status.h"
#include "query/samples/query_stats.h"
#include "query/samples/stretch_reader.h"

namespace seriesdb {

// Part i has the samples up to ends[i] and belongs to series number series[i]. It starts where part
// i - 1 ends.
struct ColumnBatch {
  std::vector<std::uint32_t> series;  // Places in the list of requested series.
  std::vector<std::uint32_t> ends;
  std::vector<Timestamp> ts;
  std::vector<double> values;
};

class ColumnReader {
 public:
  // Stands for a missing series, which has no samples.
  static constexpr SeriesRef kNoSeries = UINT32_MAX;
  ColumnReader(PinnedView view, std::vector<SeriesRef> refs, TimeRange range)
      : view_(std::move(view)), refs_(std::move(refs)), slice_(sliceOf(*view_, range)) {}

  // Replaces `batch` by the next 16,384 samples or so; it is empty at the end.
  Status next(ColumnBatch& batch);
  // Ends a running next(), and all later ones, early with kClosed. Callable from any thread.
  void cancel() { isCancelled_.store(true, std::memory_order_relaxed); }
  // The reads so far.
  const QueryStats& stats() const { return stats_; }

 private:
  bool openNextStretch();

  PinnedView view_;
  SeriesChunks chunks_;
  SeriesSources sources_;
  StretchReader reader_{sources_};
  const std::vector<SeriesRef> refs_;
  const TimeSlice slice_;
  std::size_t seriesAt_ = 0;  // One past the series being read.
  std::vector<Stretch> stretches_;
  std::size_t stretchAt_ = 0;
  bool isOpen_ = false;
  QueryStats stats_;
  std::atomic<bool> isCancelled_{false};
};

}  // namespace seriesdb
