#include "common/types/unit_suspect.h"

#include <vector>

#include "harness.h"

using namespace seriesdb;

namespace {

constexpr std::int64_t kNow = 1'800'000'000;
constexpr std::int64_t kYear = 31'556'952;

UnitSuspects inMilliseconds(const std::vector<Timestamp>& ts) {
  return findUnitSuspects(ts, TimestampUnit::kMilliseconds, kNow);
}

TEST("times far from now that are near in another unit are suspects") {
  EXPECT(inMilliseconds({}).count == 0);
  EXPECT(inMilliseconds({kNow * 1000, (kNow - 49 * kYear) * 1000}).count == 0);
  const UnitSuspects seconds = inMilliseconds({kNow * 1000, kNow, kNow + 1});
  EXPECT(seconds.count == 2);
  EXPECT(seconds.first == kNow);
  EXPECT(seconds.unit == TimestampUnit::kSeconds);
  EXPECT(inMilliseconds({kNow * 1'000'000}).unit == TimestampUnit::kMicroseconds);
  const UnitSuspects nanos = inMilliseconds({1, kNow * 1'000'000'000});
  EXPECT(nanos.count == 1);
  EXPECT(nanos.unit == TimestampUnit::kNanoseconds);
  const std::vector<Timestamp> milliseconds = {kNow * 1000};
  EXPECT(findUnitSuspects(milliseconds, TimestampUnit::kSeconds, kNow).unit ==
         TimestampUnit::kMilliseconds);
}

TEST("converted times are checked in the unit in which they came") {
  const auto find = [](Timestamp stored, TimestampConversion conversion) {
    return findUnitSuspects(std::vector<Timestamp>{stored}, TimestampUnit::kMilliseconds, kNow,
                            conversion);
  };
  // Seconds and milliseconds in a database of nanoseconds.
  EXPECT(find(kNow / 1'000'000, {1, 1'000'000}).unit == TimestampUnit::kSeconds);
  EXPECT(find(kNow / 1000, {1, 1'000'000}).unit == TimestampUnit::kMilliseconds);
  EXPECT(find(kNow / 1000, {1, 1'000'000}).first == kNow / 1000);
  // Milliseconds in a database of seconds.
  EXPECT(find(kNow * 1'000'000, {1000, 1}).unit == TimestampUnit::kMilliseconds);
  EXPECT(find(kNow * 1000, {1, 1'000'000}).count == 0 && find(0, {1, 1'000'000}).count == 0);
  EXPECT(find(INT64_MAX, {1, 1'000'000}).count == 0);
}

TEST("times that are not near in another unit are no suspects") {
  // Counters from 0, old data, and the limits of a timestamp raise no suspicion.
  EXPECT(inMilliseconds({0, 1, 86'400'000, -1}).count == 0);
  EXPECT(inMilliseconds({(kNow - 100 * kYear) * 1000, (kNow + 100 * kYear) * 1000}).count == 0);
  EXPECT(inMilliseconds({INT64_MIN, INT64_MAX}).count == 0);
  EXPECT(inMilliseconds({kNow - 21 * kYear, kNow + 21 * kYear}).count == 0);
  EXPECT(inMilliseconds({kNow - 20 * kYear, kNow + 20 * kYear}).count == 2);
  for (const std::int64_t clock : {INT64_MIN, std::int64_t{0}, INT64_MAX}) {
    EXPECT(
        findUnitSuspects(std::vector<Timestamp>{INT64_MAX / 2}, TimestampUnit::kMilliseconds, clock)
            .count <= 1);
  }
}

}  // namespace
