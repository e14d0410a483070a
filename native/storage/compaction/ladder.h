// Where compacted samples live: time is cut into slots of three widths, and a class of series,
// which is those that retention keeps equally long, fills slots of one width, its leaf.
//
// Slots are aligned to zero of the database's time. Every width is a divisor of the next, so that
// two slots are disjoint or one holds the other; only attics, which end at a slot of 8 days, hold
// any number. Times far beyond a calendar have slots too.
#pragma once

#include <cstdint>
#include <limits>

#include "common/types/partition.h"
#include "common/types/sample.h"
#include "common/types/time_slot.h"
#include "common/types/timestamp_unit.h"

namespace seriesdb {

inline constexpr Duration hours(std::int64_t count, TimestampUnit unit) {
  return count * 3600 * unitsPerSecond(unit);
}
inline constexpr Duration days(std::int64_t count, TimestampUnit unit) {
  return hours(24 * count, unit);
}
// Sums and differences that stop at the ends of int64.
inline constexpr Timestamp later(Timestamp ts, Duration by) {
  Timestamp sum = 0;
  if (!__builtin_add_overflow(ts, by, &sum)) return sum;
  return by < 0 ? std::numeric_limits<Timestamp>::min() : std::numeric_limits<Timestamp>::max();
}
inline constexpr Timestamp earlier(Timestamp ts, Duration by) {
  Timestamp difference = 0;
  if (!__builtin_sub_overflow(ts, by, &difference)) return difference;
  return by < 0 ? std::numeric_limits<Timestamp>::max() : std::numeric_limits<Timestamp>::min();
}

Duration widthOf(SlotWidth width, TimestampUnit unit);
// The widest slot that is at most an eighth of what is kept, so that samples outlive their keep by
// little; at least 3 hours.
SlotWidth leafOf(Duration keep, TimestampUnit unit);

// `clock` is the time that retention believes as the class is made.
CompactionClass makeClass(std::uint32_t number, std::uint32_t version, Duration keep,
                          Timestamp clock, TimestampUnit unit);

// Where a class has the samples of a timestamp: the number of a leaf, kAtticSlot or kLoftSlot.
std::int64_t leafSlotOf(const CompactionClass& of, Timestamp ts, TimestampUnit unit);
// The times of one slot of a class. REQUIRES: leafSlotOf() some timestamp.
TimeRange leafSlotRange(const CompactionClass& of, std::int64_t slot, TimestampUnit unit);

}  // namespace seriesdb
