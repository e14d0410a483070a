// Time ranges, each with the segments that have samples in it. They are found once per query, so
// that its series need not search all segments.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "common/types/sample.h"
#include "storage/view/view.h"

namespace seriesdb {

struct TimeSlice {
  TimeRange range{0, -1};
  std::vector<const Segment*> segments;  // In the order of the view, which must outlive the slice.
};

TimeSlice sliceOf(const View& view, TimeRange range);
// Slices that cover the range, the latest first. So the end of a series is found without searching
// all segments. Each slice adds twice as many segments as the one before it, so slices are few.
// REQUIRES: range.start <= range.end
std::vector<TimeSlice> slicesFromEnd(const View& view, TimeRange range);

// The count of chunks of these series in the slice's segments. REQUIRES: strictly ascending.
std::uint64_t countChunks(const TimeSlice& slice, std::span<const SeriesRef> series);

}  // namespace seriesdb
