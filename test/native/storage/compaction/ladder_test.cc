// Slots, leaves and attics, also at the ends of int64.
#include <algorithm>

#include "harness.h"
#include "storage/compaction/ladder.h"

using namespace seriesdb;

namespace {
constexpr Timestamp kMin = std::numeric_limits<Timestamp>::min();
constexpr Timestamp kMax = std::numeric_limits<Timestamp>::max();
constexpr TimestampUnit kUnits[] = {TimestampUnit::kSeconds, TimestampUnit::kMilliseconds,
                                    TimestampUnit::kMicroseconds, TimestampUnit::kNanoseconds};
}  // namespace

TEST("a leaf is the widest slot up to an eighth of the retention, and at least 3 hours") {
  for (const TimestampUnit unit : kUnits) {
    EXPECT(leafOf(kForever, unit) == SlotWidth::k8Days);
    EXPECT(leafOf(days(64, unit), unit) == SlotWidth::k8Days);
    EXPECT(leafOf(days(64, unit) - 1, unit) == SlotWidth::k1Day);
    EXPECT(leafOf(days(8, unit), unit) == SlotWidth::k1Day);
    EXPECT(leafOf(days(8, unit) - 1, unit) == SlotWidth::k3Hours);
    EXPECT(leafOf(0, unit) == SlotWidth::k3Hours);
    EXPECT(widthOf(SlotWidth::k1Day, unit) == 8 * widthOf(SlotWidth::k3Hours, unit));
    EXPECT(widthOf(SlotWidth::k8Days, unit) == 8 * widthOf(SlotWidth::k1Day, unit));
  }
}

TEST("every timestamp lies in its slot, and slots follow each other without a gap") {
  for (const TimestampUnit unit : kUnits) {
    for (const SlotWidth step : {SlotWidth::k3Hours, SlotWidth::k1Day, SlotWidth::k8Days}) {
      const Duration width = widthOf(step, unit);
      for (const Timestamp ts : {kMin, kMin + 1, -width - 1, -width, Timestamp{-1}, Timestamp{0},
                                 width - 1, width, kMax - 1, kMax}) {
        const std::int64_t slot = slotOf(ts, width);
        const TimeRange range = slotRange(slot, width);
        EXPECT(range.contains(ts));
        EXPECT(range.end == kMax || slotOf(range.end + 1, width) == slot + 1);
        EXPECT(range.start == kMin || slotOf(range.start - 1, width) == slot - 1);
        EXPECT(slotOf(range.start, width) == slot && slotOf(range.end, width) == slot);
      }
    }
  }
  EXPECT(slotOf(-1, 10) == -1 && slotOf(-10, 10) == -1 && slotOf(-11, 10) == -2);
  EXPECT(slotRange(-1, 10).start == -10 && slotRange(-1, 10).end == -1);
}

TEST("times 4096 leaves before a class was made form its attic, which ends with a widest slot") {
  for (const TimestampUnit unit : kUnits) {
    for (const Duration keep : {kForever, days(8, unit), days(1, unit)}) {
      const Timestamp clock = days(40'000, unit) + 5;
      const CompactionClass made = makeClass(1, 0, keep, clock, unit);
      const Duration leaf = widthOf(made.leaf, unit);
      EXPECT(made.atticEnd <= clock - 4096 * leaf);
      EXPECT(made.atticEnd > clock - 4096 * leaf - days(8, unit));
      EXPECT(made.atticEnd % days(8, unit) == 0);
      EXPECT(leafSlotOf(made, made.atticEnd - 1, unit) == kAtticSlot);
      EXPECT(leafSlotOf(made, made.atticEnd, unit) == slotOf(made.atticEnd, leaf));
      EXPECT(leafSlotOf(made, kMin, unit) == kAtticSlot);
      EXPECT(leafSlotRange(made, kAtticSlot, unit).end == made.atticEnd - 1);
      EXPECT(leafSlotRange(made, 5000, unit).start == 5000 * leaf);
    }
    // Nothing lies before the first timestamps.
    EXPECT(makeClass(1, 0, kForever, kMin, unit).atticEnd == kMin);
    EXPECT(leafSlotOf(makeClass(1, 0, kForever, kMin, unit), kMin, unit) != kAtticSlot);
  }
}

// A class may live as long as its rules, and its clock may begin where an import begins.
TEST("no leaf within 80 years of a new class is its loft") {
  for (const TimestampUnit unit : kUnits) {
    const Timestamp clock = days(19'000, unit);
    for (const Duration keep : {kForever, days(8, unit), days(7, unit), hours(1, unit)}) {
      const CompactionClass made = makeClass(1, 0, keep, clock, unit);
      const Timestamp late = clock + days(80 * 365, unit);
      EXPECT(leafSlotOf(made, late, unit) == slotOf(late, widthOf(made.leaf, unit)));
      EXPECT(leafSlotOf(made, kMax, unit) == kLoftSlot);
    }
  }
}

TEST("time arithmetic saturates at the ends of int64") {
  EXPECT(later(kMax - 1, 5) == kMax && later(kMin + 1, -5) == kMin && later(1, 2) == 3);
  EXPECT(earlier(kMin + 1, 5) == kMin && earlier(kMax - 1, -5) == kMax && earlier(3, 2) == 1);
}
