// The sample by which Prometheus says that a series has ended: one NaN of its own.
//
// It is stored as any other, bit for bit, and takes the place of what was there at its time. Who
// reads samples as values leaves it out, as if nothing were there.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>

#include "model/sample.h"

namespace seriesdb {

// As prometheus/model/value/value.go has it.
inline constexpr std::uint64_t kStaleBits = 0x7ff0000000000002;

inline bool isStale(double value) { return std::bit_cast<std::uint64_t>(value) == kStaleBits; }

// Moves the samples that are none to the front, in their order, and returns how many they are.
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
