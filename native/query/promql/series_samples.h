// Reads the samples of one series after another as Prometheus would have them: stale markers among
// them, times in milliseconds, of those in one millisecond the last. Not thread-safe.
#pragma once

#include <span>

#include "query/promql/step_brake.h"
#include "query/promql/step_samples.h"
#include "query/samples/query_stats.h"
#include "query/samples/time_slice.h"
#include "storage/view/part_merge.h"
#include "storage/view/series_sources.h"

namespace seriesdb {

// The range of a database's times that are, as milliseconds, above `after` and not above `end`.
TimeRange rangeOfMilliseconds(std::int64_t after, std::int64_t end, std::int64_t perSecond);

class SeriesSamples {
 public:
  // The slice and the brake must outlive it, and the view the slice.
  SeriesSamples(const View& view, const TimeSlice& slice, std::int64_t perSecond, StepBrake& brake)
      : view_(view), slice_(slice), perSecond_(perSecond), brake_(brake) {}

  // Replaces `row` by what the first series has in the slice. The others are likely to be next.
  Status read(std::span<const SeriesRef> series, StepSamples& row);
  // Of chunks those that were read, without the others.
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
