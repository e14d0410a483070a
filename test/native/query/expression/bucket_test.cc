// Buckets of the calendar against months counted day by day, and at the edges of int64.
#include "query/expression/bucket.h"

#include <optional>
#include <random>

#include "harness.h"

using namespace seriesdb;

namespace {

constexpr std::int64_t kUnits[] = {1, 1000, 1'000'000, 1'000'000'000};
constexpr std::int64_t kDay = 86'400;
// The range of the interpreter's calendar: 400 days less than that of a Date.
constexpr std::int64_t kReach = 8'640'000'000'000 - 400 * kDay;

BucketSpec monthsOf(std::int64_t count, std::int64_t unitsPerSecond) {
  return {0, 0, count, unitsPerSecond};
}

// The start of the bucket of `ts`; INT64_MIN if it has none.
Timestamp startOf(const BucketSpec& spec, Timestamp ts) {
  return bucketStart(spec, bucketOf(spec, ts));
}

bool isLeap(std::int64_t year) { return year % 4 == 0 && (year % 100 != 0 || year % 400 == 0); }

std::int64_t daysOf(std::int64_t year, std::int64_t month) {
  constexpr std::int64_t kDays[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
  return kDays[month] + (month == 1 && isLeap(year) ? 1 : 0);
}

// The days from 1970 to the first of January 1600.
std::int64_t firstDay() {
  std::int64_t day = 0;
  for (std::int64_t year = 1600; year < 1970; ++year) day -= isLeap(year) ? 366 : 365;
  return day;
}

// True if every timestamp lies in its bucket's range and other buckets are adjacent.
bool isInItsBucket(const BucketSpec& spec, Timestamp ts) {
  const std::int64_t bucket = bucketOf(spec, ts);
  const TimeRange range = bucketRange(spec, bucket);
  return range.start <= ts && ts <= range.end && bucketOf(spec, range.start) == bucket &&
         bucketOf(spec, range.end) == bucket &&
         (range.start == INT64_MIN || bucketOf(spec, range.start - 1) < bucket) &&
         (range.end == INT64_MAX || bucketOf(spec, range.end + 1) > bucket) &&
         (!hasStart(spec, bucket) || bucketStart(spec, bucket) <= range.start);
}

TEST("month buckets equal those counted day by day") {
  for (const std::int64_t units : kUnits) {
    for (const std::int64_t count : {1, 3, 5, 12, 120}) {
      const BucketSpec spec = monthsOf(count, units);
      std::int64_t day = firstDay();
      // The start of the bucket, once known: the first one may begin before 1600.
      std::optional<Timestamp> start;
      for (std::int64_t month = 0; month < 801 * 12; ++month) {
        const std::int64_t year = 1600 + month / 12;
        const std::int64_t days = daysOf(year, month % 12);
        const bool isInt64 = units < 1'000'000'000 || (year > 1680 && year < 2262);
        if (!isInt64) start.reset();
        if (isInt64 && (month - 370 * 12) % count == 0) start = day * kDay * units;
        if (start) {
          EXPECT(startOf(spec, day * kDay * units) == start);
          EXPECT(startOf(spec, (day + days) * kDay * units - 1) == start);
        }
        day += days;
      }
    }
  }
}

TEST("fixed-width buckets cover all of int64, for any origin") {
  __extension__ using Wide = __int128;
  for (const std::int64_t width : {std::int64_t{1}, std::int64_t{2}, std::int64_t{7}, INT64_MAX}) {
    for (const Timestamp origin :
         {INT64_MIN, INT64_MIN + 1, Timestamp{-13}, Timestamp{13}, INT64_MAX}) {
      BucketSpec spec{width, origin};
      spec.reduceOrigin();
      for (const Timestamp ts :
           {INT64_MIN, INT64_MIN + 1, Timestamp{0}, INT64_MAX - 1, INT64_MAX}) {
        EXPECT(isInItsBucket(spec, ts));
        Wide rest = (Wide{ts} - origin) % width;
        if (rest < 0) rest += width;
        const bool isHeld = Wide{ts} - rest >= INT64_MIN;
        EXPECT(hasStart(spec, bucketOf(spec, ts)) == isHeld);
        if (isHeld) EXPECT(Wide{startOf(spec, ts)} == Wide{ts} - rest);
      }
    }
  }
}

TEST("times past the ends of the calendar or of int64 fall in buckets without a start") {
  const BucketSpec nanos = monthsOf(1, 1'000'000'000);
  EXPECT(!hasStart(nanos, bucketOf(nanos, INT64_MIN)));
  EXPECT(hasStart(nanos, bucketOf(nanos, INT64_MAX)));
  EXPECT(bucketRange(nanos, bucketOf(nanos, INT64_MAX)).end == INT64_MAX);
  for (const std::int64_t units : {std::int64_t{1}, std::int64_t{1000}, std::int64_t{1'000'000}}) {
    const BucketSpec spec = monthsOf(1, units);
    for (const Timestamp ts : {-kReach * units - 1, (kReach + 1) * units}) {
      EXPECT(!hasStart(spec, bucketOf(spec, ts)));
      EXPECT(startOf(spec, ts) == INT64_MIN);
    }
    for (const Timestamp ts : {-kReach * units, (kReach + 1) * units - 1}) {
      EXPECT(hasStart(spec, bucketOf(spec, ts)));
    }
    // All buckets without a start form one group.
    const auto groupOf = [&](Timestamp ts) { return groupedBucket(spec, bucketOf(spec, ts)); };
    EXPECT(groupOf(INT64_MIN) == groupOf(INT64_MAX));
    EXPECT(groupOf(0) != groupOf(INT64_MAX) && groupOf(0) != groupOf(-1));
  }
  // A bucket whose end the calendar reaches, but whose start is outside int64.
  const BucketSpec wide = monthsOf(1'000'000, 1'000'000);
  EXPECT(!hasStart(wide, bucketOf(wide, -kReach * 1'000'000)));
  EXPECT(groupedBucket(wide, bucketOf(wide, -kReach * 1'000'000)) == bucketOf(wide, INT64_MIN));
}

TEST("every time lies in the range of its bucket") {
  std::mt19937_64 random(test::seed());
  for (const std::int64_t units : kUnits) {
    for (int i = 0; i < 3000; ++i) {
      const auto count = static_cast<std::int64_t>(1 + random() % (i % 3 == 0 ? 1'000'000 : 13));
      const BucketSpec spec = monthsOf(count, units);
      EXPECT(spec.isValid());
      const auto any = static_cast<Timestamp>(random());
      EXPECT(isInItsBucket(spec, any >> (random() % 40)));
      for (const Timestamp ts : {INT64_MIN, INT64_MAX, Timestamp{0}, Timestamp{-1}}) {
        EXPECT(isInItsBucket(spec, ts));
      }
    }
  }
}

}  // namespace
