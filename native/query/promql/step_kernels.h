// The loops over many values of functions and folds, compiled for several instruction sets.
#pragma once

#include <span>

namespace seriesdb {

// The highest and the lowest value: NaN only if all are NaN; of equal values the first. REQUIRES:
// not empty.
double highestOf(std::span<const double> values);
double lowestOf(std::span<const double> values);

// True if any value is less than the one before it.
bool hasFall(std::span<const double> values);

// Does NeumaierSum::add() for many sums, each with its own value. REQUIRES: equal sizes.
void addToEach(std::span<double> sums, std::span<double> rests, std::span<const double> values);

}  // namespace seriesdb
