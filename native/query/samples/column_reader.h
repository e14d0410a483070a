// The samples of many series as columns, in batches: what an engine outside the addon reads.
//
// Series by series in the order given, each ascending in time. Not thread-safe but for cancel(); a
// batch is made by one thread at a time.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <vector>

#include "common/base/status.h"
#include "query/samples/query_stats.h"
#include "query/samples/stretch_reader.h"

namespace seriesdb {

// Part i of the samples, from where part i - 1 ended up to ends[i], is of series number series[i].
struct ColumnBatch {
  std::vector<std::uint32_t> series;  // Places in the list of series that was asked for.
  std::vector<std::uint32_t> ends;
  std::vector<Timestamp> ts;
  std::vector<double> values;
};

class ColumnReader {
 public:
  // A series may be missing (kNoSeries); it has no samples.
  static constexpr SeriesRef kNoSeries = UINT32_MAX;
  ColumnReader(PinnedView view, std::vector<SeriesRef> refs, TimeRange range)
      : view_(std::move(view)), refs_(std::move(refs)), slice_(sliceOf(*view_, range)) {}

  // Replaces `batch` by the next 16,384 samples or so; without any at the end.
  Status next(ColumnBatch& batch);
  // Makes the next() that runs, and all later ones, end early with kClosed. Any thread.
  void cancel() { isCancelled_.store(true, std::memory_order_relaxed); }
  // What was read so far.
  const QueryStats& stats() const { return stats_; }

 private:
  bool openNextStretch();

  PinnedView view_;
  SeriesChunks chunks_;
  SeriesSources sources_;
  StretchReader reader_{sources_};
  const std::vector<SeriesRef> refs_;
  const TimeSlice slice_;
  std::size_t seriesAt_ = 0;  // One past the series that is being read.
  std::vector<Stretch> stretches_;
  std::size_t stretchAt_ = 0;
  bool isOpen_ = false;
  QueryStats stats_;
  std::atomic<bool> isCancelled_{false};
};

}  // namespace seriesdb
