// Stretches of time, each with the segments that have samples in it; found once a query, so that
// its series need not look at the others.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "common/types/sample.h"
#include "storage/view/view.h"

namespace seriesdb {

struct TimeSlice {
  TimeRange range{0, -1};
  std::vector<const Segment*> segments;  // In the order of the view, which must live as long.
};

TimeSlice sliceOf(const View& view, TimeRange range);
// Slices that cover the range, the latest first, so that who wants the end of a series finds it
// without a look at all segments. Each reaches past twice as many segments as the one before it, so
// that they are few. REQUIRES: range.start <= range.end
std::vector<TimeSlice> slicesFromEnd(const View& view, TimeRange range);

// How many chunks these series have in the segments of the slice. REQUIRES: strictly ascending.
std::uint64_t countChunks(const TimeSlice& slice, std::span<const SeriesRef> series);

}  // namespace seriesdb
