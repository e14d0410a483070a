// A sum of doubles that keeps what plain addition rounds away: Neumaier's improvement of Kahan's
// summation (Rundungsfehleranalyse einiger Verfahren zur Summation endlicher Summen, ZAMM 54).
//
// Invariant: the total depends on the values and their order alone, not on how they were cut into
// pieces. Its error is about one rounding, where plain addition may lose every digit.
#pragma once

#include <cmath>

namespace seriesdb {

class CompensatedSum {
 public:
  void add(double value) {
    const double next = sum_ + value;
    lost_ += std::fabs(sum_) >= std::fabs(value) ? (sum_ - next) + value : (value - next) + sum_;
    sum_ = next;
  }
  // Adds a sum that was kept apart. The order of such merges shows in the last digit.
  void add(const CompensatedSum& other) {
    add(other.sum_);
    lost_ += other.lost_;
  }
  // Not finite when a value was not, or when a partial sum passed the largest double.
  double total() const { return sum_ + lost_; }

 private:
  double sum_ = 0;
  double lost_ = 0;
};

}  // namespace seriesdb
