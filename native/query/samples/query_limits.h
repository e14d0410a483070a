// The limits of a query.
#pragma once

#include <cstdint>

#include "common/base/clock.h"

namespace seriesdb {

class Engine;

struct QueryLimits {
  std::uint64_t samplesMax = UINT64_MAX;  // The most decoded samples in range.
  // Samples that the same request has already read; they count against samplesMax.
  std::uint64_t samplesBefore = 0;
  std::uint64_t rowsMax = UINT64_MAX;  // The most rows to hold or return.
  std::uint64_t deadlineNanos = 0;     // On the monotonic clock; 0 = none.
  // The engine that counts the memory; null: memory is not counted.
  const Engine* countedIn = nullptr;

  // Starts now. From 2^40 ms on there is no deadline.
  void setTimeout(std::uint64_t ms) {
    constexpr std::uint64_t kForeverMs = std::uint64_t{1} << 40;
    deadlineNanos = ms < kForeverMs ? monotonicNanos() + ms * 1'000'000 : 0;
  }
};

}  // namespace seriesdb
