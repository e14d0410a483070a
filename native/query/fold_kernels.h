// The inner loops of aggregates, over a stretch of values. Eight lanes, so that additions do not
// wait for one another; compiled for several instruction sets, of which the loader picks one.
#pragma once

#include <span>

namespace seriesdb {

struct SumMinMax {
  double sum;  // In eight lanes: differs from a plain sum by rounding.
  double min;
  double max;
};

// REQUIRES: not empty, no NaN.
SumMinMax foldSumMinMax(std::span<const double> values);

// The sum of squared differences from `mean`.
double foldSquares(std::span<const double> values, double mean);

// The sum of what a counter gained between neighbours: a drop is a restart at zero.
double foldIncrease(std::span<const double> values);

}  // namespace seriesdb
