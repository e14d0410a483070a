// Times in milliseconds, as Prometheus has them, whatever the unit of the database.
#pragma once

#include <cstdint>

#include "model/sample.h"
#include "model/timestamp_unit.h"

namespace seriesdb {

// Of a time of a database whose unit has so many in a second. Rounded down. Seconds were asked for
// by milliseconds, so that they have some.
inline std::int64_t millisecondsOf(Timestamp ts, std::int64_t perSecond) {
  constexpr std::int64_t kMsPerSecond = 1000;
  if (perSecond < kMsPerSecond) return ts * (kMsPerSecond / perSecond);
  const std::int64_t perMs = perSecond / kMsPerSecond;
  const std::int64_t ms = ts / perMs;
  return ms * perMs > ts ? ms - 1 : ms;
}

}  // namespace seriesdb
