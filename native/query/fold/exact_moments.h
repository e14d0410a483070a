// The exact sum of values and that of their squares: what a variance is made of, in whatever order
// and parts the values come.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "query/fold/exact_sum.h"

namespace seriesdb {

struct ExactMoments {
  ExactSum sum;
  ExactSum squares;
  bool isFinite = true;  // No value was infinite.

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
  // Of a sample of `count` values, the exact one rounded once; infinite beyond the largest double.
  // NaN of one value, and where a value was infinite.
  double variance(std::uint64_t count) const;
};

// Adds values to moments. Many are added as whole numbers of few digits, in lanes. It remembers how
// many digits the last ones needed: a guess, on which no result depends.
class MomentsAdder {
 public:
  // REQUIRES: no NaN.
  void add(std::span<const double> values, ExactMoments& moments);

 private:
  bool addLanes(std::span<const double> values, ExactMoments& moments);

  std::size_t digits_ = 1;
};

}  // namespace seriesdb
