// The input of a read, after names are resolved: plain data.
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

// The series and times to read: distinct series, and disjoint ascending ranges.
struct ReadPlan {
  std::vector<SeriesRef> refs;
  std::vector<TimeRange> ranges;
  // A sample counts if it passes the filter and the condition. The condition is empty or one
  // boolean.
  ValueFilter filter;
  Expression condition;
  // For each series its place in the columns of expressions; empty if there are none.
  std::vector<std::uint32_t> places;
  QueryLimits limits;

  // From the start of the first range to the end of the last; empty without ranges.
  TimeRange hull() const {
    return ranges.empty() ? TimeRange{0, -1} : TimeRange{ranges.front().start, ranges.back().end};
  }
};

}  // namespace seriesdb
