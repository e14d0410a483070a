#include "query/time_slice.h"

#include <algorithm>

namespace seriesdb {

TimeSlice sliceOf(const View& view, TimeRange range) {
  TimeSlice slice{range, {}};
  for (const auto& segment : view.segments) {
    const SegmentFacts& facts = segment->facts();
    if (facts.tsMin <= range.end && facts.tsMax >= range.start) {
      slice.segments.push_back(segment.get());
    }
  }
  return slice;
}

std::uint64_t countChunks(const View& view, std::span<const SeriesRef> series) {
  std::uint64_t count = 0;
  for (const auto& segment : view.segments) count += segment->chunkCountOf(series);
  return count;
}

std::vector<TimeSlice> slicesFromEnd(const View& view, TimeRange range) {
  std::vector<TimeSlice> slices;
  for (TimeRange rest = range;;) {
    const std::vector<const Segment*> left = sliceOf(view, rest).segments;
    const auto latest = std::max_element(
        left.begin(), left.end(),
        [](const Segment* a, const Segment* b) { return a->facts().tsMax < b->facts().tsMax; });
    // The last slice holds what memtables have of the rest, too.
    const Timestamp from =
        latest == left.end() ? rest.start : std::max(rest.start, (*latest)->facts().tsMin);
    slices.push_back(sliceOf(view, {from, rest.end}));
    if (from == rest.start) return slices;
    rest.end = from - 1;
  }
}

}  // namespace seriesdb
