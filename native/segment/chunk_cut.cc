#include "segment/chunk_cut.h"

#include <algorithm>
#include <array>

#include "codec/chunk.h"
#include "model/time_slot.h"

namespace seriesdb {
namespace {

// Each is in the one before a few times, less than chunks may differ in length: so where samples
// are evenly apart, one of them ends in any chunk.
constexpr std::array<std::int64_t, 9> kRoundSeconds{86'400, 43'200, 21'600, 10'800, 3'600,
                                                    1'800,  900,    300,    60};

}  // namespace

std::size_t evenCut(std::size_t count, std::size_t most) {
  const std::size_t pieces = (count + most - 1) / most;
  return (count + pieces - 1) / pieces;
}

std::size_t alignedCut(std::span<const Timestamp> ts, TimestampUnit unit) {
  constexpr std::size_t kLeast = kAlignedSamplesMin;
  const std::size_t whole = evenCut(ts.size(), kChunkSamplesMax);
  if (ts.size() < 2 * kLeast) return whole;
  const std::size_t most = std::min(kChunkSamplesMax, ts.size() - kLeast);
  const bool isOne = ts.size() <= kChunkSamplesMax;
  for (const std::int64_t seconds : kRoundSeconds) {
    // What one chunk holds is parted by days only.
    if (isOne && seconds < kRoundSeconds.front()) return whole;
    const Duration width = seconds * unitsPerSecond(unit);
    const Timestamp end = slotRange(slotOf(ts[kLeast - 1], width), width).end;
    if (end >= ts[most]) continue;
    const auto behind = std::upper_bound(ts.begin() + kLeast, ts.end(), end);
    return static_cast<std::size_t>(behind - ts.begin());
  }
  return whole;
}

}  // namespace seriesdb
