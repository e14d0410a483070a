#include "query/promql/series_samples.h"

#include <algorithm>

#include "common/types/milliseconds.h"
#include "query/samples/series_stretches.h"

namespace seriesdb {
namespace {

constexpr std::int64_t kMsPerSecond = 1000;
// The least cost of a series, in samples.
constexpr std::uint64_t kWorkOfSeries = 64;
constexpr std::size_t kReadSamples = 8192;

// The database's first time that is above these milliseconds.
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

void roundTimes(StepSamples& samples, std::int64_t perSecond) {
  if (perSecond == kMsPerSecond) return;
  const StepSamples::Room row = samples.all();
  std::size_t kept = 0;
  for (std::size_t i = 0; i < row.ms.size(); ++i) {
    const std::int64_t ms = millisecondsOf(row.ms[i], perSecond);
    if (kept > 0 && row.ms[kept - 1] == ms) --kept;
    row.ms[kept] = ms;
    row.values[kept++] = row.values[i];
  }
  samples.shorten(kept);
}

}  // namespace

TimeRange rangeOfMilliseconds(std::int64_t after, std::int64_t end, std::int64_t perSecond) {
  const Timestamp above = firstAbove(end, perSecond);
  // Times above INT64_MAX are out of reach, and so is INT64_MAX itself.
  const bool hasEnd = above != INT64_MAX && above != INT64_MIN;
  return {firstAbove(after, perSecond), hasEnd ? above - 1 : above};
}

Status SeriesSamples::read(std::span<const SeriesRef> series, StepSamples& row) {
  row.clear();
  locateChunks(slice_, series, chunks_);
  if (series.size() > 1) chunks_.expect(series[1]);
  sources_.captureHeld(view_, chunks_, slice_.range);
  noteParts();
  Status read = brake_.spend(kWorkOfSeries);
  std::span<const SourcePart> parts = sources_.parts();
  for (; read.ok() && isAlone(parts); parts = parts.subspan(1)) read = readChunk(parts[0], row);
  if (read.ok() && !parts.empty()) read = merge(parts, row);
  roundTimes(row, perSecond_);
  return read;
}

// True if the first part is a chunk without deletions that ends before the other parts begin.
bool SeriesSamples::isAlone(std::span<const SourcePart> parts) const {
  if (parts.empty() || parts[0].chunk == nullptr || sources_.hasHoles()) return false;
  return parts.size() == 1 || parts[0].range.end < parts[1].range.start;
}

// Decodes the chunk in its final place, without a copy.
Status SeriesSamples::readChunk(const SourcePart& part, StepSamples& row) {
  const StepSamples::Room room = row.room(part.chunk->summary.count);
  const auto places = readPart(part, room.ms, room.values);
  if (!places.ok()) return places.status();
  row.keep(places.value().begin, places.value().end);
  return count(places.value().size());
}

Status SeriesSamples::merge(std::span<const SourcePart> parts, StepSamples& row) {
  merge_.begin(sources_, parts);
  for (;;) {
    const auto more = row.appendBy(
        [this](auto& ms, auto& values) { return merge_.nextSamples(kReadSamples, ms, values); });
    if (!more.ok()) return more.status();
    if (more.value() == 0) return Status::okStatus();
    Status allowed = count(more.value());
    if (!allowed.ok()) return allowed;
  }
}

Status SeriesSamples::count(std::size_t samples) {
  stats_.rowsScanned += samples;
  return brake_.count(samples);
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
