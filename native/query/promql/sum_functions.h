// Functions of a window that read all its samples each time. A running sum would round differently,
// depending on its start.
#pragma once

#include <cstdint>
#include <span>

namespace seriesdb {

// All three need at least one value, in the order of time.
double sumOf(std::span<const double> values);
double meanOf(std::span<const double> values);
double varianceOf(std::span<const double> values);

// Both take values in any order, and may reorder them.
double quantileOf(double quantile, std::span<double> values);
// The median distance from the median.
double medianDeviationOf(std::span<double> values);

// REQUIRES: at least two values.
double smoothed(std::span<const double> values, double factor, double trendFactor);

// A least-squares line through samples: its slope per second, and its value at a time.
struct Line {
  double slope;
  double value;
};
Line lineThrough(std::span<const std::int64_t> ms, std::span<const double> values, std::int64_t at);

}  // namespace seriesdb
