// The samples of one series, or of one computed row: columns, ascending in time, one a millisecond.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/value_fold.h"
#include "model/stale_marker.h"

namespace seriesdb {

struct StepSamples {
  std::vector<std::int64_t> ms;
  std::vector<double> values;

  std::size_t size() const { return ms.size(); }
  void clear() { resize(0); }
  void resize(std::size_t count) {
    ms.resize(count);
    values.resize(count);
  }
  // Most rows have finite numbers alone, and no marker.
  void dropStale() {
    if (!areFinite(values)) resize(seriesdb::dropStale(ms, values));
  }
  std::uint64_t bytes() const {
    return ms.capacity() * sizeof(ms[0]) + values.capacity() * sizeof(values[0]);
  }
};

}  // namespace seriesdb
