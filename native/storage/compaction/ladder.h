// The places of compacted samples. Time is cut into slots of three widths. A class holds all series
// with the same keep, and fills slots of one width, its leaf.
//
// Slots are aligned to zero of the database's time. Each width divides the next, so two slots are
// disjoint or one contains the other. Only attics contain any number of slots; they end at a slot
// of 8 days. Times far beyond a calendar have slots too.
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
// Sums and differences, saturated at the ends of int64.
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
// The widest slot that is at most an eighth of the keep, so that samples outlive their keep only
// briefly; at least 3 hours.
SlotWidth leafOf(Duration keep, TimestampUnit unit);

// `clock` is the retention clock at the creation of the class.
CompactionClass makeClass(std::uint32_t number, std::uint32_t version, Duration keep,
                          Timestamp clock, TimestampUnit unit);

// The place of a timestamp in a class: the number of a leaf, kAtticSlot or kLoftSlot.
std::int64_t leafSlotOf(const CompactionClass& of, Timestamp ts, TimestampUnit unit);
// The time range of one slot of a class. REQUIRES: `slot` is a result of leafSlotOf().
TimeRange leafSlotRange(const CompactionClass& of, std::int64_t slot, TimestampUnit unit);

}  // namespace seriesdb
