// A sum of doubles that keeps what plain addition rounds away. It is held in two parts: the sum as
// plain addition gives it, and the rest, to which each addition adds its exact rounding error
// (TwoSum: Knuth, The Art of Computer Programming 2, 4.2.2).
//
// Invariant: the parts are together the exact sum, in whatever order and in however many partial
// sums the values came, while the rest itself is not rounded. That is so for whole numbers and for
// decimals; where values cancel that are apart by more than a hundred bits, the last digit of the
// total may depend on the order.
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
  // Adds a sum that was kept apart.
  void add(const CompensatedSum& other) {
    add(other.sum_);
    rest_ += other.rest_;
  }
  // Rounded once. Not finite when a value was not, or when a partial sum passed the largest double.
  double total() const { return sum_ + rest_; }
  // What total() leaves out.
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
