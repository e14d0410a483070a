#include "query/samples/null_values.h"

#include <cmath>
#include <limits>

#include "common/base/value_fold.h"
#include "common/types/stale_marker.h"

namespace seriesdb {
KeptValues keepValues(std::span<Timestamp> ts, std::span<double> values) {
  KeptValues kept{values.size(), false};
  if (areFinite(values)) return kept;
  kept.count = dropStale(ts, values);
  for (double& value : values.first(kept.count)) {
    if (std::isfinite(value)) continue;
    value = std::numeric_limits<double>::quiet_NaN();
    kept.hasNulls = true;
  }
  return kept;
}

void rejectNulls(std::span<const double> values, std::span<std::uint8_t> keep) {
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (std::isnan(values[i])) keep[i] = 0;
  }
}

}  // namespace seriesdb
