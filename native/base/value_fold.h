// The sum and the bounds of many doubles at once. Eight lanes, so that additions do not wait for
// one another; compiled for several instruction sets, of which the loader picks one. Whichever it
// is, the results are the same to the bit, but for sums as base/compensated_sum.h says.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>

#include "base/compensated_sum.h"

namespace seriesdb {

// The lesser and the greater of two numbers. -0 counts below +0, so that the order of equals does
// not show.
inline double lesserOf(double a, double b) {
  return b < a || (b == a && std::signbit(b)) ? b : a;
}
inline double greaterOf(double a, double b) {
  return b > a || (b == a && !std::signbit(b)) ? b : a;
}

struct ValueBounds {
  double min;
  double max;
  // No value is farther from zero.
  double reach() const { return std::max(std::fabs(min), std::fabs(max)); }
  void add(const ValueBounds& other) {
    min = lesserOf(min, other.min);
    max = greaterOf(max, other.max);
  }
};

// Whether none of them is NaN or infinite.
bool areFinite(std::span<const double> values);

// REQUIRES: not empty, no NaN.
ValueBounds boundsOf(std::span<const double> values);

// Where nobody knows how far values reach.
inline constexpr double kUnknownReach = std::numeric_limits<double>::infinity();

// Adds all values to the sum. `reach` is that of their bounds, or larger, which makes it faster.
void addValues(std::span<const double> values, CompensatedSum& sum, double reach = kUnknownReach);

// Both, for little more than one. REQUIRES: not empty, no NaN.
ValueBounds addValuesWithBounds(std::span<const double> values, CompensatedSum& sum,
                                double reach = kUnknownReach);

}  // namespace seriesdb
