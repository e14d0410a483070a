// The input of a read, after names are resolved: plain data.
#pragma once

#include <cstdint>
#include <vector>

#include "common/types/sample.h"
#include "query/expression/expression.h"
#include "query/expression/value_filter.h"
#include "query/samples/query_limits.h"

namespace seriesdb {

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
