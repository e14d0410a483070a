#include "steps/series_samples.h"

#include <algorithm>

#include "model/milliseconds.h"
#include "read/series_stretches.h"

namespace seriesdb {
namespace {

constexpr std::int64_t kMsPerSecond = 1000;
// What a series costs at least, in samples.
constexpr std::uint64_t kWorkOfSeries = 64;
constexpr std::size_t kReadSamples = 8192;

// The first time of the database that is above these milliseconds.
Timestamp firstAbove(std::int64_t ms, std::int64_t perSecond) {
  if (perSecond < kMsPerSecond) {
    const std::int64_t perUnit = kMsPerSecond / perSecond;
    const std::int64_t units = ms / perUnit;
    return (ms % perUnit < 0 ? units - 1 : units) + 1;
  }
  Timestamp first = 0;
  if (!__builtin_mul_overflow(ms + 1, perSecond / kMsPerSecond, &first)) return first;
  return ms < 0 ? INT64_MIN : INT64_MAX;
}

void roundTimes(StepSamples& row, std::int64_t perSecond) {
  if (perSecond == kMsPerSecond) return;
  std::size_t kept = 0;
  for (std::size_t i = 0; i < row.size(); ++i) {
    const std::int64_t ms = millisecondsOf(row.ms[i], perSecond);
    if (kept > 0 && row.ms[kept - 1] == ms) --kept;
    row.ms[kept] = ms;
    row.values[kept++] = row.values[i];
  }
  row.resize(kept);
}

}  // namespace

TimeRange rangeOfMilliseconds(std::int64_t after, std::int64_t end, std::int64_t perSecond) {
  const Timestamp above = firstAbove(end, perSecond);
  // What is above the last time is out of reach, and so is the last time itself.
  const bool hasEnd = above != INT64_MAX && above != INT64_MIN;
  return {firstAbove(after, perSecond), hasEnd ? above - 1 : above};
}

Status SeriesSamples::read(std::span<const SeriesRef> series, StepSamples& row) {
  row.clear();
  locateChunks(slice_, series, chunks_);
  if (series.size() > 1) chunks_.expect(series[1]);
  sources_.captureHeld(view_, chunks_, slice_.range);
  noteParts();
  merge_.begin(sources_, sources_.parts());
  Status allowed = brake_.spend(kWorkOfSeries);
  while (allowed.ok()) {
    const auto count = merge_.nextSamples(kReadSamples, row.ms, row.values);
    if (!count.ok()) return count.status();
    if (count.value() == 0) break;
    stats_.rowsScanned += count.value();
    allowed = brake_.count(count.value());
  }
  roundTimes(row, perSecond_);
  return allowed;
}

void SeriesSamples::noteParts() {
  ++stats_.seriesScanned;
  for (const SourcePart& part : sources_.parts()) {
    if (part.chunk == nullptr) continue;
    ++stats_.chunksScanned;
    stats_.bytesRead += part.chunk->size;
  }
}

}  // namespace seriesdb
