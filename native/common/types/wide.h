// Arithmetic on timestamps beyond int64.
#pragma once

#include <algorithm>
#include <cstdint>

#include "common/types/sample.h"

namespace seriesdb {

__extension__ using Wide = __int128;  // Differences and products of any two timestamps.

inline Timestamp clampToTimestamp(Wide ts) {
  return static_cast<Timestamp>(std::clamp<Wide>(ts, INT64_MIN, INT64_MAX));
}

}  // namespace seriesdb
