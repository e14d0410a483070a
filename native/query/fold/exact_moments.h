// The exact sums of values and of their squares. A variance made of them does not depend on the
// order or the parts in which values come.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "query/fold/exact_sum.h"

namespace seriesdb {

struct ExactMoments {
  ExactSum sum;
  ExactSum squares;
  bool isFinite = true;  // False if any value was infinite.

  void add(const ExactMoments& other) {
    sum.add(other.sum);
    squares.add(other.squares);
    isFinite = isFinite && other.isFinite;
  }
  void clear() {
    sum.clear();
    squares.clear();
    isFinite = true;
  }
  // The variance of a sample of `count` values: the exact result rounded once. Infinite beyond the
  // largest double. NaN for fewer than two values, or if a value was infinite.
  double variance(std::uint64_t count) const;
};

// Adds values to moments. Many values are added in lanes, as integers of few digits. It remembers
// the last count of digits as a guess; no result depends on it.
class MomentsAdder {
 public:
  // REQUIRES: no NaN.
  void add(std::span<const double> values, ExactMoments& moments);

 private:
  bool addLanes(std::span<const double> values, ExactMoments& moments);

  std::size_t digits_ = 1;
};

}  // namespace seriesdb
