// What is no number among the values that were read: stale markers, which nobody sees, and what is
// null in SeriesQL, any other NaN and the infinities.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "common/types/sample.h"

namespace seriesdb {

struct KeptValues {
  std::size_t count = 0;
  bool hasNulls = false;
};

// Moves all but stale markers to the front, in their order, and makes every null a NaN.
// REQUIRES: equal lengths.
KeptValues keepValues(std::span<Timestamp> ts, std::span<double> values);

// Sets keep[i] to 0 where the value is null: no condition on it is true.
void rejectNulls(std::span<const double> values, std::span<std::uint8_t> keep);

}  // namespace seriesdb
