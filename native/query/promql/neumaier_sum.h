// A compensated sum with the same bits as in Prometheus. base/compensated_sum.h gives other bits if
// the sum is not finite.
#pragma once

#include <cmath>

namespace seriesdb {

struct NeumaierSum {
  double sum = 0;
  double rest = 0;

  void add(double value) {
    const double next = sum + value;
    if (std::isinf(next)) {
      rest = 0;
    } else if (std::fabs(sum) >= std::fabs(value)) {
      rest += (sum - next) + value;
    } else {
      rest += (value - next) + sum;
    }
    sum = next;
  }
  double total() const { return sum + rest; }
};

// A mean with Prometheus' bits: from the sum until that would overflow, then from the mean itself.
class RunningMean {
 public:
  explicit RunningMean(double first) : sum_{first, 0} {}
  // Restores a mean from its parts() and isMean().
  RunningMean(NeumaierSum parts, bool isMean) : sum_(parts), isMean_(isMean) {}

  // `count` includes this value.
  void add(double value, double count) {
    if (!isMean_) {
      NeumaierSum next = sum_;
      next.add(value);
      if (!std::isinf(next.sum)) {
        sum_ = next;
        return;
      }
      isMean_ = true;
      sum_ = {sum_.sum / (count - 1), sum_.rest / (count - 1)};
    }
    const double share = (count - 1) / count;
    sum_ = {share * sum_.sum, share * sum_.rest};
    sum_.add(value / count);
  }
  NeumaierSum parts() const { return sum_; }
  bool isMean() const { return isMean_; }
  double of(double count) const {
    return isMean_ ? sum_.total() : sum_.sum / count + sum_.rest / count;
  }

 private:
  NeumaierSum sum_;
  bool isMean_ = false;
};

}  // namespace seriesdb
