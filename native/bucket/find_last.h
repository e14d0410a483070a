// Finds the last object of a chain, whose places are filled in order.
#pragma once

#include <cstdint>

#include "bucket/layout.h"
#include "common/base/status.h"

namespace seriesdb {

// The highest number with an object; `known`, which may be 0, if there is none above it. All from
// `known` + 1 up to that number are there, and none above it. `isThere(number)` is a Result<bool>.
// Asks about twice the logarithm of the distance.
template <typename IsThere>
Result<std::uint64_t> findLast(std::uint64_t known, const IsThere& isThere) {
  std::uint64_t there = known;
  std::uint64_t missing = kChainNumberMax + 1;
  const auto look = [&](std::uint64_t number) -> Status {
    const Result<bool> found = isThere(number);
    if (!found.ok()) return found.status();
    (found.value() ? there : missing) = number;
    return {};
  };
  for (std::uint64_t step = 1; there + 1 < missing; step *= 2) {
    const std::uint64_t next = known + step;
    if (next >= missing) break;
    if (Status looked = look(next); !looked.ok()) return looked;
  }
  while (there + 1 < missing) {
    if (Status looked = look(there + (missing - there) / 2); !looked.ok()) return looked;
  }
  return there;
}

}  // namespace seriesdb
