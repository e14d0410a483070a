// Timestamps that look like another unit than they were taken for: more than 50 years from now
// as they are stored, and within 20 years of now in another unit. They are reported, not
// refused.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <span>

#include "common/types/timestamp_unit.h"

namespace seriesdb {

struct UnitSuspects {
  std::uint64_t count = 0;
  Timestamp greatest = std::numeric_limits<Timestamp>::min();  // Of all.
  Timestamp first = 0;  // If any: the first of them, and its likely unit.
  TimestampUnit unit = TimestampUnit::kSeconds;
};

// `nowSeconds` is the time since 1970; an approximate clock is enough.
// `conversion` made `ts` of the times that the client sent, which may be in another unit.
UnitSuspects findUnitSuspects(std::span<const Timestamp> ts, TimestampUnit unit,
                              std::int64_t nowSeconds, TimestampConversion conversion = {});

}  // namespace seriesdb
