// Timestamps that look as if they were in another unit than the database's: more than 50 years from
// now as they are, and within 20 years of now in another. A mistake that is best told on the first
// day; nothing is refused for it.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <span>

#include "model/timestamp_unit.h"

namespace seriesdb {

struct UnitSuspects {
  std::uint64_t count = 0;
  Timestamp greatest = std::numeric_limits<Timestamp>::min();  // Of all.
  Timestamp first = 0;  // When there are any: the first of them, and what it seems to be in.
  TimestampUnit unit = TimestampUnit::kSeconds;
};

// `nowSeconds` is the time since 1970; any number of a clock that runs will do.
UnitSuspects findUnitSuspects(std::span<const Timestamp> ts, TimestampUnit unit,
                              std::int64_t nowSeconds);

}  // namespace seriesdb
