// Handles values that are not finite numbers. Stale markers are invisible. Other NaNs and the
// infinities are null in SeriesQL.
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

// Moves all samples except stale markers to the front, in order, and turns every null into NaN.
// REQUIRES: equal lengths.
KeptValues keepValues(std::span<Timestamp> ts, std::span<double> values);

// Sets keep[i] to 0 if the value is null: no condition on null is true.
void rejectNulls(std::span<const double> values, std::span<std::uint8_t> keep);

}  // namespace seriesdb
