// Functions of a window that look at all its samples each time: a running sum would have other
// bits, which depended on where it began.
#pragma once

#include <cstdint>
#include <span>

namespace seriesdb {

// Each of values in the order of time, of which there is at least one.
double sumOf(std::span<const double> values);
double meanOf(std::span<const double> values);
double varianceOf(std::span<const double> values);

// Of values in any order, which it may change.
double quantileOf(double quantile, std::span<double> values);
// The median distance from the median.
double medianDeviationOf(std::span<double> values);

// Of at least two.
double smoothed(std::span<const double> values, double factor, double trendFactor);

// The line through samples by least squares: how steep it is a second, and its value at a time.
struct Line {
  double slope;
  double value;
};
Line lineThrough(std::span<const std::int64_t> ms, std::span<const double> values,
                 std::int64_t at);

}  // namespace seriesdb
