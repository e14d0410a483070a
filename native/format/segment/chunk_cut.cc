#include "format/segment/chunk_cut.h"

#include <algorithm>
#include <array>

#include "common/types/time_slot.h"
#include "format/codec/chunk.h"

namespace seriesdb {
namespace {

// Each width holds a few of the next one, fewer than the ratio of the longest to the shortest
// chunk. So with evenly spaced samples some slot ends in any chunk.
constexpr std::array<std::int64_t, 9> kRoundSeconds{86'400, 43'200, 21'600, 10'800, 3'600,
                                                    1'800,  900,    300,    60};

// The number of samples up to the end of the slot that contains the sample at `at`.
std::size_t countToEnd(std::span<const Timestamp> ts, std::size_t at, Duration width) {
  const Timestamp end = slotRange(slotOf(ts[at], width), width).end;
  const auto behind = std::upper_bound(ts.begin() + static_cast<std::ptrdiff_t>(at), ts.end(), end);
  return static_cast<std::size_t>(behind - ts.begin());
}

// The number of samples before the first day with many samples; 0 if they get no own chunk.
std::size_t firstDayOf(std::span<const Timestamp> ts, TimestampUnit unit) {
  const Duration day = kRoundSeconds.front() * unitsPerSecond(unit);
  const std::size_t before = countToEnd(ts, kFirstDaySamplesMin - 1, day);
  if (before >= kAlignedSamplesMin || before == ts.size()) return 0;
  return countToEnd(ts, before, day) - before >= kAlignedSamplesMin ? before : 0;
}

}  // namespace

std::size_t evenCut(std::size_t count, std::size_t most) {
  const std::size_t parts = (count + most - 1) / most;
  return (count + parts - 1) / parts;
}

std::size_t alignedCut(std::span<const Timestamp> ts, TimestampUnit unit) {
  constexpr std::size_t kLeast = kAlignedSamplesMin;
  const std::size_t whole = evenCut(ts.size(), kChunkSamplesMax);
  if (ts.size() < kLeast + kFirstDaySamplesMin) return whole;
  if (const std::size_t first = firstDayOf(ts, unit); first > 0) return first;
  if (ts.size() < 2 * kLeast) return whole;
  const std::size_t most = std::min(kChunkSamplesMax, ts.size() - kLeast);
  const bool isOne = ts.size() <= kChunkSamplesMax;
  for (const std::int64_t seconds : kRoundSeconds) {
    // Samples that fit in one chunk are split at midnights only.
    if (isOne && seconds < kRoundSeconds.front()) return whole;
    const Duration width = seconds * unitsPerSecond(unit);
    const std::size_t count = countToEnd(ts, kLeast - 1, width);
    if (count <= most) return count;
  }
  return whole;
}

}  // namespace seriesdb
