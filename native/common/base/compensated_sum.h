// A sum of doubles that keeps the rounding errors of plain addition. It has two parts: the plain
// sum, and the rest, to which each addition adds its exact rounding error (TwoSum: Knuth, The Art
// of Computer Programming 2, 4.2.2).
//
// Invariant: while the rest is not rounded, both parts together are the exact sum, for
// any order and any partial sums. This holds for whole numbers and decimals. If values
// more than a hundred bits apart cancel, the last digit of the total may depend on the
// order.
#pragma once

namespace seriesdb {

class CompensatedSum {
 public:
  CompensatedSum() = default;
  CompensatedSum(double sum, double rest) : sum_(sum), rest_(rest) {}

  void add(double value) {
    const double next = sum_ + value;
    const double added = next - sum_;
    rest_ += (sum_ - (next - added)) + (value - added);
    sum_ = next;
  }
  // Adds a partial sum.
  void add(const CompensatedSum& other) {
    add(other.sum_);
    rest_ += other.rest_;
  }
  // Rounded once. Not finite if a value was not, or if a partial sum exceeded the largest double.
  double total() const { return sum_ + rest_; }
  // The part that total() rounds away.
  double beyondTotal() const {
    CompensatedSum both(sum_, 0);
    both.add(rest_);
    return both.rest_;
  }

 private:
  double sum_ = 0;
  double rest_ = 0;
};

}  // namespace seriesdb
