#include "query/samples/part_windows.h"

#include <algorithm>

#include "query/samples/time_slice.h"

namespace seriesdb {
namespace {

// The fewest chunks worth a thread: some tenths of a millisecond.
constexpr double kWindowChunksMin = 32;
// The most reads of segment directories: some tens of nanoseconds each.
constexpr std::size_t kLooksMax = 256;

// REQUIRES: the range is not empty.
double lengthOf(TimeRange range) {
  return static_cast<double>(static_cast<std::uint64_t>(range.end) -
                             static_cast<std::uint64_t>(range.start)) +
         1;
}

// An estimate, as if each segment's chunks were spread evenly over its time.
double chunksIn(const TimeSlice& slice, std::span<const SeriesRef> series) {
  double chunks = 0;
  for (const Segment* segment : slice.segments) {
    const SegmentFacts& facts = segment->facts();
    const TimeRange shared{std::max(facts.tsMin, slice.range.start),
                           std::min(facts.tsMax, slice.range.end)};
    const auto all = static_cast<double>(segment->chunkCountOf(series));
    chunks += all * lengthOf(shared) / lengthOf({facts.tsMin, facts.tsMax});
  }
  return chunks;
}

}  // namespace

std::vector<TimeRange> windowsOf(const View& view, std::span<const SeriesRef> series,
                                 const BucketSpec& buckets, TimeRange range, std::size_t countMax) {
  const auto hasStartAt = [&](Timestamp ts) { return hasStart(buckets, bucketOf(buckets, ts)); };
  if (countMax < 2 || !hasStartAt(range.start) || !hasStartAt(range.end)) return {range};
  const TimeSlice slice = sliceOf(view, range);
  if (slice.segments.size() * series.size() > kLooksMax) return {range};
  const double worth = chunksIn(slice, series) / kWindowChunksMin;
  const std::size_t count =
      worth < static_cast<double>(countMax) ? static_cast<std::size_t>(worth) : countMax;
  const std::uint64_t length =
      static_cast<std::uint64_t>(range.end) - static_cast<std::uint64_t>(range.start);
  std::vector<TimeRange> windows;
  TimeRange rest = range;
  for (std::size_t i = 1; i < count; ++i) {
    const auto near =
        static_cast<Timestamp>(static_cast<std::uint64_t>(range.start) + length / count * i);
    const Timestamp cut = bucketStart(buckets, bucketOf(buckets, near));
    if (cut <= rest.start) continue;
    windows.push_back({rest.start, cut - 1});
    rest.start = cut;
  }
  windows.push_back(rest);
  return windows;
}

}  // namespace seriesdb
