#include "query/samples/time_slice.h"

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

std::uint64_t countChunks(const TimeSlice& slice, std::span<const SeriesRef> series) {
  std::uint64_t count = 0;
  for (const Segment* segment : slice.segments) count += segment->chunkCountOf(series);
  return count;
}

std::vector<TimeSlice> slicesFromEnd(const View& view, TimeRange range) {
  std::vector<TimeRange> byEnd;
  for (const Segment* segment : sliceOf(view, range).segments) {
    byEnd.push_back({segment->facts().tsMin, segment->facts().tsMax});
  }
  std::sort(byEnd.begin(), byEnd.end(),
            [](const TimeRange& a, const TimeRange& b) { return a.end > b.end; });
  std::vector<TimeSlice> slices;
  TimeRange rest = range;
  std::size_t at = 0;
  for (std::size_t wanted = 1; rest.start <= rest.end; wanted *= 2) {
    Timestamp from = rest.end;
    for (std::size_t taken = 0; at < byEnd.size() && taken < wanted; ++at) {
      if (byEnd[at].start > rest.end) continue;  // An earlier slice has the whole segment.
      from = std::min(from, byEnd[at].start);
      ++taken;
    }
    // The last slice covers the rest of time, because memtables may have samples there.
    if (at == byEnd.size()) from = rest.start;
    from = std::max(from, rest.start);
    slices.push_back(sliceOf(view, {from, rest.end}));
    if (from == rest.start) break;
    rest.end = from - 1;
  }
  return slices;
}

}  // namespace seriesdb
