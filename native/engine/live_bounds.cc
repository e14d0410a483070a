#include "engine/live_bounds.h"

#include <algorithm>
#include <limits>
#include <vector>

namespace seriesdb {
namespace {

constexpr TimeRange kAllTime{std::numeric_limits<Timestamp>::min(),
                             std::numeric_limits<Timestamp>::max()};

void widen(std::optional<TimeRange>& bounds, TimeRange by) {
  if (!bounds) bounds = by;
  bounds = TimeRange{std::min(bounds->start, by.start), std::max(bounds->end, by.end)};
}

// Of samples that ascend; those in holes do not count.
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

std::optional<TimeRange> boundsOfChunk(const Segment& segment, const ChunkEntry& entry,
                                       const std::vector<TimeRange>& holes) {
  const TimeRange whole{entry.summary.tsMin, entry.summary.tsMax};
  if (isInHole(holes, whole)) return std::nullopt;
  if (!isInHole(holes, whole.start) && !isInHole(holes, whole.end)) return whole;
  const auto bytes = segment.chunkBytes(entry);
  if (!bytes.ok()) return whole;
  std::vector<Timestamp> ts(entry.summary.count);
  std::vector<double> values(entry.summary.count);
  if (!decodeChunk(bytes.value(), ts, values).ok()) return whole;
  return boundsOutside(holes, ts.size(), [&ts](std::size_t i) { return ts[i]; });
}

void addSegment(std::optional<TimeRange>& bounds, const Segment& segment, SeriesRef ref,
                const std::vector<TimeRange>& holes) {
  const auto chunks = segment.chunksOf(ref);
  auto first = chunks.begin();
  std::optional<TimeRange> found;
  for (; first != chunks.end() && !found; ++first) found = boundsOfChunk(segment, *first, holes);
  if (!found) return;
  widen(bounds, *found);
  found.reset();
  for (auto last = chunks.end(); last != first && !found;) {
    found = boundsOfChunk(segment, *--last, holes);
  }
  if (found) widen(bounds, *found);
}

void addMemtable(std::optional<TimeRange>& bounds, const Memtable& memtable, SeriesRef ref,
                 const std::vector<TimeRange>& holes) {
  const Memtable::Extent extent = memtable.extentOf(ref);
  if (extent.count == 0) return;
  if (extent.isAscending && !isInHole(holes, extent.range.start) &&
      !isInHole(holes, extent.range.end)) {
    return widen(bounds, extent.range);
  }
  std::vector<Sample> samples;
  static_cast<void>(memtable.read(ref, kAllTime, std::numeric_limits<std::size_t>::max(), samples));
  const auto found =
      boundsOutside(holes, samples.size(), [&samples](std::size_t i) { return samples[i].ts; });
  if (found) widen(bounds, *found);
}

}  // namespace

std::optional<TimeRange> liveBounds(const View& view, SeriesRef ref) {
  const Masks masks = view.masksOf(ref, kAllTime);
  std::optional<TimeRange> bounds;
  for (const auto& segment : view.segments) {
    addSegment(bounds, *segment, ref, masks.holesOf(segment->facts().sequenceMax));
  }
  for (const auto& frozen : view.frozen) {
    addMemtable(bounds, *frozen->memtable, ref, masks.holesOf(frozen->sequenceMax));
  }
  addMemtable(bounds, *view.active, ref, {});
  return bounds;
}

void renewBounds(SeriesIndex& index, const View& view, std::span<const SeriesRef> refs) {
  std::vector<std::optional<TimeRange>> bounds;
  bounds.reserve(refs.size());
  for (const SeriesRef ref : refs) bounds.push_back(liveBounds(view, ref));
  index.replaceBounds(refs, bounds);
}

void renewBounds(SeriesIndex& index, const View& view, const Tombstone& tombstone) {
  const TimeRange gone = tombstone.range;
  std::vector<SeriesRef> changed;
  std::vector<std::optional<TimeRange>> bounds;
  for (const SeriesRef ref : tombstone.refs) {
    const auto before = index.boundsOf(ref);
    if (!before) continue;
    const bool losesStart = gone.contains(before->start);
    const bool losesEnd = gone.contains(before->end);
    if (!losesStart && !losesEnd) continue;
    changed.push_back(ref);
    bounds.push_back(losesStart && losesEnd ? std::nullopt : liveBounds(view, ref));
  }
  index.replaceBounds(changed, bounds);
}

}  // namespace seriesdb
