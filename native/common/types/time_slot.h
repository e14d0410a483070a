// Time slots: adjacent ranges of one width, counted from time zero of the database.
#pragma once

#include <cstdint>
#include <limits>

#include "common/types/partition.h"
#include "common/types/sample.h"

namespace seriesdb {

inline constexpr std::int64_t slotOf(Timestamp ts, Duration width) {
  return ts / width - (ts % width < 0 ? 1 : 0);
}

// Clamped to int64. REQUIRES: the slot of some timestamp.
inline constexpr TimeRange slotRange(std::int64_t slot, Duration width) {
  // The lowest slot may begin before all timestamps, and the highest may end after them.
  TimeRange range{std::numeric_limits<Timestamp>::min(), std::numeric_limits<Timestamp>::max()};
  Timestamp start = 0;
  if (!__builtin_mul_overflow(slot, width, &start)) range.start = start;
  Timestamp next = 0;
  if (!__builtin_mul_overflow(slot + 1, width, &next)) range.end = next - 1;
  return range;
}

}  // namespace seriesdb
