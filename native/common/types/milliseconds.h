// Times in milliseconds, as Prometheus uses them, for any database unit.
#pragma once

#include <cstdint>

#include "common/types/sample.h"
#include "common/types/timestamp_unit.h"

namespace seriesdb {

// A time of a database with `perSecond` units per second, rounded down. For seconds the product
// fits: the query's bounds were milliseconds.
inline std::int64_t millisecondsOf(Timestamp ts, std::int64_t perSecond) {
  constexpr std::int64_t kMsPerSecond = 1000;
  if (perSecond < kMsPerSecond) return ts * (kMsPerSecond / perSecond);
  const std::int64_t perMs = perSecond / kMsPerSecond;
  const std::int64_t ms = ts / perMs;
  return ms * perMs > ts ? ms - 1 : ms;
}

}  // namespace seriesdb
