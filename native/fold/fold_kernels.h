// The inner loops of aggregates that base/value_fold.h has not, over a stretch of values. Eight
// lanes, so that additions do not wait for one another; compiled for several instruction sets, of
// which the loader picks one.
#pragma once

#include <span>

#include "base/compensated_sum.h"

namespace seriesdb {

// The sum of squared differences from `mean`.
double foldSquares(std::span<const double> values, double mean);

// Adds what a counter gained between neighbours: a drop is a restart at zero.
void addIncrease(std::span<const double> values, CompensatedSum& sum);

}  // namespace seriesdb
