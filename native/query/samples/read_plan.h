// What a query reads, after names were resolved: plain data.
#pragma once

#include <cstdint>
#include <vector>

#include "common/base/clock.h"
#include "common/types/sample.h"
#include "query/expression/expression.h"
#include "query/expression/value_filter.h"

namespace seriesdb {

class Engine;

struct QueryLimits {
  std::uint64_t samplesMax = UINT64_MAX;  // Decoded, in range.
  std::uint64_t samplesBefore = 0;        // Of them, by what the same question read already.
  std::uint64_t rowsMax = UINT64_MAX;     // To hold or give.
  std::uint64_t deadlineNanos = 0;        // Of the monotonic clock; 0 = none.
  const Engine* countedIn = nullptr;      // Whose memory it takes; null: it is not counted.

  // From now on; of 2^40 ms and more there is no deadline.
  void setTimeout(std::uint64_t ms) {
    constexpr std::uint64_t kForeverMs = std::uint64_t{1} << 40;
    deadlineNanos = ms < kForeverMs ? monotonicNanos() + ms * 1'000'000 : 0;
  }
};

// What is read: distinct series, and disjoint ascending ranges of time.
struct ReadPlan {
  std::vector<SeriesRef> refs;
  std::vector<TimeRange> ranges;
  // A sample counts when it passes the filter and the condition, which is empty or one boolean.
  ValueFilter filter;
  Expression condition;
  // For each of the series its place in the columns of expressions; empty: there are none.
  std::vector<std::uint32_t> places;
  QueryLimits limits;

  // From the first of the ranges to the last; empty without any.
  TimeRange hull() const {
    return ranges.empty() ? TimeRange{0, -1} : TimeRange{ranges.front().start, ranges.back().end};
  }
};

}  // namespace seriesdb
