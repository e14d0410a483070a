// Reads the samples of one series after another as Prometheus sees them. Stale markers stay; times
// are in milliseconds; of samples in one millisecond the last counts. Not thread-safe.
#pragma once

#include <span>

#include "query/promql/step_brake.h"
#include "query/promql/step_samples.h"
#include "query/samples/query_stats.h"
#include "query/samples/time_slice.h"
#include "storage/view/part_merge.h"
#include "storage/view/series_sources.h"

namespace seriesdb {

// The database's times that are, in milliseconds, above `after` and not above `end`.
TimeRange rangeOfMilliseconds(std::int64_t after, std::int64_t end, std::int64_t perSecond);

class SeriesSamples {
 public:
  // The slice and the brake must outlive it; the view must outlive the slice.
  SeriesSamples(const View& view, const TimeSlice& slice, std::int64_t perSecond, StepBrake& brake)
      : view_(view), slice_(slice), perSecond_(perSecond), brake_(brake) {}

  // Replaces `row` by the first series' samples in the slice. The other series are prefetched: they
  // are likely to follow.
  Status read(std::span<const SeriesRef> series, StepSamples& row);
  // Counts only chunks that were read, not skipped ones.
  const QueryStats& stats() const { return stats_; }

 private:
  bool isAlone(std::span<const SourcePart> parts) const;
  Status readChunk(const SourcePart& part, StepSamples& row);
  Status merge(std::span<const SourcePart> parts, StepSamples& row);
  Status count(std::size_t samples);
  void noteParts();

  const View& view_;
  const TimeSlice& slice_;
  const std::int64_t perSecond_;
  StepBrake& brake_;
  SeriesChunks chunks_;
  SeriesSources sources_;
  PartMerge merge_;
  QueryStats stats_;
};

}  // namespace seriesdb
