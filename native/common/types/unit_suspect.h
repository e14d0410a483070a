// Finds timestamps that were probably sent in another unit. Such a timestamp is more than 50 years
// from now as stored, and within 20 years of now in another unit. They are reported, not refused.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <span>

#include "common/types/timestamp_unit.h"

namespace seriesdb {

struct UnitSuspects {
  std::uint64_t count = 0;
  Timestamp greatest = std::numeric_limits<Timestamp>::min();  // The greatest of all timestamps.
  Timestamp first = 0;  // The first suspect, if any; the next member is its likely unit.
  TimestampUnit unit = TimestampUnit::kSeconds;
};

// `nowSeconds` is the time since 1970; an approximate clock is enough. `conversion` produced `ts`
// from the times that the client sent, which may be in another unit.
UnitSuspects findUnitSuspects(std::span<const Timestamp> ts, TimestampUnit unit,
                              std::int64_t nowSeconds, TimestampConversion conversion = {});

}  // namespace seriesdb
