// The loops over many values of functions and folds, compiled for several instruction sets.
#pragma once

#include <span>

namespace seriesdb {

// The highest and the lowest: NaN only where there is nothing else, and of equal ones the first.
// REQUIRES: not empty.
double highestOf(std::span<const double> values);
double lowestOf(std::span<const double> values);

// Whether any is less than the one before it.
bool hasFall(std::span<const double> values);

// NeumaierSum::add() of many sums, each with a value of its own. REQUIRES: as many of each.
void addToEach(std::span<double> sums, std::span<double> rests, std::span<const double> values);

}  // namespace seriesdb
