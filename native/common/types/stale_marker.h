// Prometheus' stale marker: one special NaN that says that a series has ended.
//
// It is stored like any sample, bit for bit, and overwrites older samples of its time. Readers of
// values skip it, as if the sample were missing.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>

#include "common/types/sample.h"

namespace seriesdb {

// From prometheus/model/value/value.go.
inline constexpr std::uint64_t kStaleBits = 0x7ff0000000000002;

inline bool isStale(double value) { return std::bit_cast<std::uint64_t>(value) == kStaleBits; }

// Moves all samples that are not stale markers to the front, in order, and returns their number.
// REQUIRES: equal lengths.
inline std::size_t dropStale(std::span<Timestamp> ts, std::span<double> values) {
  std::size_t kept = 0;
  for (std::size_t i = 0; i < ts.size(); ++i) {
    ts[kept] = ts[i];
    values[kept] = values[i];
    kept += isStale(values[i]) ? 0 : 1;
  }
  return kept;
}

}  // namespace seriesdb
