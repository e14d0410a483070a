// The sum and the bounds of many doubles. Eight lanes avoid waits between additions. Compiled for
// several instruction sets; the loader selects one. All give identical results, except for sums as
// base/compensated_sum.h describes.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>

#include "common/base/compensated_sum.h"

namespace seriesdb {

// The smaller and the larger of two numbers. -0 counts below +0, so equal values have a fixed
// order.
inline double lesserOf(double a, double b) { return b < a || (b == a && std::signbit(b)) ? b : a; }
inline double greaterOf(double a, double b) {
  return b > a || (b == a && !std::signbit(b)) ? b : a;
}

struct ValueBounds {
  double min;
  double max;
  // The largest distance of a value from zero.
  double reach() const { return std::max(std::fabs(min), std::fabs(max)); }
  void add(const ValueBounds& other) {
    min = lesserOf(min, other.min);
    max = greaterOf(max, other.max);
  }
};

// True if no value is NaN or infinite.
bool areFinite(std::span<const double> values);

// REQUIRES: not empty, no NaN.
ValueBounds boundsOf(std::span<const double> values);

// The reach when bounds are unknown.
inline constexpr double kUnknownReach = std::numeric_limits<double>::infinity();

// Adds all values to the sum. `reach` is at least the reach of the values; a tight one is faster.
void addValues(std::span<const double> values, CompensatedSum& sum, double reach = kUnknownReach);

// Both, for little more than the cost of one. REQUIRES: not empty, no NaN.
ValueBounds addValuesWithBounds(std::span<const double> values, CompensatedSum& sum,
                                double reach = kUnknownReach);

}  // namespace seriesdb
