#include "storage/compaction/ladder.h"

namespace seriesdb {
namespace {

// The number of leaves between a class's attic and the time it was made.
constexpr std::int64_t kLeavesBeforeNow = 4096;
// The number of widest slots between now and a class's loft: 90 years, for any leaf width. All
// samples that the class will ever get should lie before the loft.
constexpr std::int64_t kWidestBehindNow = 4096;

}  // namespace

Duration widthOf(SlotWidth width, TimestampUnit unit) {
  switch (width) {
    case SlotWidth::k3Hours:
      return hours(3, unit);
    case SlotWidth::k1Day:
      return days(1, unit);
    case SlotWidth::k8Days:
      break;
  }
  return days(8, unit);
}

SlotWidth leafOf(Duration keep, TimestampUnit unit) {
  for (const SlotWidth width : {SlotWidth::k8Days, SlotWidth::k1Day}) {
    if (widthOf(width, unit) <= keep / 8) return width;
  }
  return SlotWidth::k3Hours;
}

CompactionClass makeClass(std::uint32_t number, std::uint32_t version, Duration keep,
                          Timestamp clock, TimestampUnit unit) {
  CompactionClass made{number, version, keep, leafOf(keep, unit), 0};
  const Duration before = kLeavesBeforeNow * widthOf(made.leaf, unit);
  const Duration widest = widthOf(kWidestSlot, unit);
  const Duration far = kWidestBehindNow * widest;
  made.atticEnd = slotRange(slotOf(earlier(clock, before), widest), widest).start;
  made.loftStart = later(slotRange(slotOf(later(clock, far), widest), widest).end, 1);
  return made;
}

std::int64_t leafSlotOf(const CompactionClass& of, Timestamp ts, TimestampUnit unit) {
  if (ts < of.atticEnd) return kAtticSlot;
  const bool hasLoft = of.loftStart != std::numeric_limits<Timestamp>::max();
  return hasLoft && ts >= of.loftStart ? kLoftSlot : slotOf(ts, widthOf(of.leaf, unit));
}

TimeRange leafSlotRange(const CompactionClass& of, std::int64_t slot, TimestampUnit unit) {
  if (slot == kAtticSlot) return {std::numeric_limits<Timestamp>::min(), of.atticEnd - 1};
  if (slot == kLoftSlot) return {of.loftStart, std::numeric_limits<Timestamp>::max()};
  return slotRange(slot, widthOf(of.leaf, unit));
}

}  // namespace seriesdb
