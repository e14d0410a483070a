#include "format/segment/chunk_cut.h"

#include <limits>
#include <random>
#include <vector>

#include "common/types/time_slot.h"
#include "format/codec/chunk.h"
#include "harness.h"

using namespace seriesdb;
using namespace seriesdb::test;

namespace {

constexpr Timestamp kMidnight = 1'699'920'000'000;
constexpr TimestampUnit kUnit = TimestampUnit::kMilliseconds;
constexpr Duration kHour = 3'600'000;

// Splits all timestamps into parts, from the first on.
std::vector<std::span<const Timestamp>> partsOf(std::span<const Timestamp> ts, TimestampUnit unit) {
  std::vector<std::span<const Timestamp>> parts;
  while (!ts.empty()) {
    const std::size_t count = alignedCut(ts, unit);
    EXPECT(count > 0 && count <= ts.size());
    if (count == 0 || count > ts.size()) return parts;
    parts.push_back(ts.first(count));
    ts = ts.subspan(count);
  }
  return parts;
}

std::vector<Timestamp> evenly(Timestamp first, Duration step, std::size_t count) {
  std::vector<Timestamp> ts(count);
  for (std::size_t i = 0; i < count; ++i) ts[i] = first + static_cast<Duration>(i) * step;
  return ts;
}

}  // namespace

TEST("chunks of regular samples end at the roundest times within their size limits") {
  struct Row {
    Duration step;
    Duration width;
  };
  for (const auto [step, width] :
       {Row{1'000, 3 * kHour}, Row{5'000, 6 * kHour}, Row{10'000, 12 * kHour},
        Row{15'000, 24 * kHour}, Row{20'000, 24 * kHour}, Row{60'000, 8 * 24 * kHour}}) {
    const auto count = static_cast<std::size_t>(8 * 24 * kHour / step);
    const std::vector<Timestamp> ts = evenly(kMidnight, step, count);
    for (const auto part : partsOf(ts, kUnit)) {
      EXPECT(slotOf(part.front() - kMidnight, width) == slotOf(part.back() - kMidnight, width));
      const Timestamp end = part.back() + step;
      EXPECT(end % (step < 60'000 ? kHour : 24 * kHour) == 0);
    }
  }
}

TEST("samples that fit one chunk are cut only at midnight, and only before enough samples") {
  const auto cutAt = [](Duration before, std::size_t count) {
    return alignedCut(evenly(kMidnight - before, 10'000, count), kUnit);
  };
  EXPECT(cutAt(6 * kHour, 2160 + 2048) == 2160);
  EXPECT(cutAt(6 * kHour, 2160 + 2047) == 2160 + 2047);
  EXPECT(cutAt(18 * kHour, 6480) == 6480);
  EXPECT(cutAt(0, 1) == 1 && cutAt(0, 4320) == 4320);
}

TEST("a partial first day gets its own chunk before a day of many samples") {
  const auto cutAt = [](Duration before, Duration step, std::size_t count) {
    return alignedCut(evenly(kMidnight - before, step, count), kUnit);
  };
  EXPECT(cutAt(5 * kHour, 10'000, 8000) == 1800);
  EXPECT(cutAt(5'120'000, 10'000, 512 + 2048) == 512 && cutAt(5'120'000, 10'000, 2559) == 2559);
  EXPECT(cutAt(5'110'000, 10'000, 8000) == 8000);
  // A day of samples per minute is not a chunk.
  EXPECT(cutAt(10 * kHour, 60'000, 8000) == 600 + 2 * 1440);
  EXPECT(cutAt(9 * kHour, 60'000, 8000) == 540 + 2 * 1440);
}

TEST("for any timestamps chunks are complete, in order and within their size limits") {
  std::mt19937_64 random(seed() + 5);
  for (int round = 0; round < 300; ++round) {
    std::vector<Timestamp> ts;
    const std::size_t count = 1 + random() % 40'000;
    const std::uint64_t step = 1 + (random() >> (random() % 64)) / 65'536;
    Timestamp next = static_cast<Timestamp>(random());
    while (ts.size() < count) {
      ts.push_back(next);
      const auto by = static_cast<Timestamp>(1 + random() % step);
      if (next > std::numeric_limits<Timestamp>::max() - by) break;
      next += by;
    }
    const auto unit = static_cast<TimestampUnit>(random() % 4);
    std::size_t total = 0;
    for (const auto part : partsOf(ts, unit)) {
      EXPECT(part.size() <= kChunkSamplesMax);
      const Duration day = 86'400 * unitsPerSecond(unit);
      const bool isFirstDay = total + part.size() < ts.size() &&
                              slotOf(part.back(), day) < slotOf(ts[total + part.size()], day);
      const std::size_t least = isFirstDay ? kFirstDaySamplesMin : kAlignedSamplesMin;
      EXPECT(part.size() >= std::min(ts.size(), least));
      total += part.size();
    }
    EXPECT(total == ts.size());
  }
}
