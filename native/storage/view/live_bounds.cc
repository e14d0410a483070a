#include "storage/view/live_bounds.h"

#include <algorithm>
#include <limits>
#include <vector>

#include "storage/view/series_sources.h"

namespace seriesdb {
namespace {

constexpr TimeRange kAllTime{std::numeric_limits<Timestamp>::min(),
                             std::numeric_limits<Timestamp>::max()};

void widenLive(std::optional<TimeRange>& bounds, TimeRange by) {
  if (!bounds) bounds = by;
  bounds = TimeRange{std::min(bounds->start, by.start), std::max(bounds->end, by.end)};
}

// The bounds of ascending timestamps, without those in holes.
template <typename Ts>
std::optional<TimeRange> boundsOutside(const std::vector<TimeRange>& holes, std::size_t count,
                                       const Ts& tsOf) {
  std::size_t first = 0;
  while (first < count && isInHole(holes, tsOf(first))) ++first;
  if (first == count) return std::nullopt;
  std::size_t last = count - 1;
  while (isInHole(holes, tsOf(last))) --last;
  return TimeRange{tsOf(first), tsOf(last)};
}

// True if the part has a sample at both ends of its range.
bool isExact(const SourcePart& part) {
  if (part.chunk != nullptr) {
    return part.chunk->isKnown() && part.range.start == part.chunk->summary.tsMin &&
           part.range.end == part.chunk->summary.tsMax;
  }
  return part.extent->isAscending && part.range.start == part.extent->range.start &&
         part.range.end == part.extent->range.end;
}

std::optional<TimeRange> boundsOfChunk(const SeriesSources& sources, const SourcePart& part) {
  std::vector<Timestamp> ts(part.chunk->summary.count);
  std::vector<double> values(part.chunk->summary.count);
  if (!part.segment->read(*part.chunk, ts, values).ok()) return part.range;
  return boundsOutside(sources.holesOf(part), ts.size(), [&ts](std::size_t i) { return ts[i]; });
}

std::optional<TimeRange> boundsOfStrip(const SeriesSources& sources, const SourcePart& part) {
  StripReader strip;
  strip.open(sources, part, part.range);
  std::optional<TimeRange> bounds;
  for (auto samples = strip.next(); !samples.empty(); samples = strip.next()) {
    const auto found = boundsOutside(sources.holesOf(part), samples.size(),
                                     [&samples](std::size_t i) { return samples[i].ts; });
    if (found) widenLive(bounds, *found);
  }
  return bounds;
}

}  // namespace

std::optional<TimeRange> liveBounds(const View& view, SeriesRef ref) {
  SeriesChunks chunks;
  SeriesSources sources;
  findChunks(view, {&ref, 1}, kAllTime, chunks);
  sources.captureHeld(view, chunks, kAllTime);
  std::optional<TimeRange> bounds;
  for (const SourcePart& part : sources.parts()) {
    if (isExact(part)) widenLive(bounds, part.range);
  }
  for (const SourcePart& part : sources.parts()) {
    const bool isWithin =
        bounds && bounds->start <= part.range.start && part.range.end <= bounds->end;
    if (isWithin || isExact(part)) continue;
    const auto found =
        part.chunk != nullptr ? boundsOfChunk(sources, part) : boundsOfStrip(sources, part);
    if (found) widenLive(bounds, *found);
  }
  return bounds;
}

void renewBounds(SeriesIndex& index, const View& view, std::span<const SeriesRef> refs) {
  std::vector<std::optional<TimeRange>> bounds;
  bounds.reserve(refs.size());
  for (const SeriesRef ref : refs) bounds.push_back(liveBounds(view, ref));
  index.replaceBounds(refs, bounds);
  index.renewNames();
}

}  // namespace seriesdb
