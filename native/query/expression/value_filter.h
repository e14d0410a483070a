// A condition on `value`, such as `value > 90 or value <= -1`: comparisons with constants joined by
// and, or, not. Immutable after make(); safe for any number of threads.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "common/base/status.h"

namespace seriesdb {

enum class FilterStep : std::uint8_t {
  kEqual,
  kNotEqual,
  kLess,
  kLessEqual,
  kGreater,
  kGreaterEqual,
  // They join the conditions before them.
  kAnd,
  kOr,
  kNot,
};

class ValueFilter {
 public:
  // A step in postfix order; `constant` belongs to comparisons.
  struct Step {
    FilterStep step;
    double constant;
  };
  static constexpr std::size_t kStepsMax = 256;
  static constexpr std::size_t kDepthMax = 16;

  // Lets everything through.
  ValueFilter() = default;
  // kInvalidArgument when the steps do not form one condition, or there are too many.
  static Result<ValueFilter> make(std::vector<Step> steps);

  bool isEmpty() const { return steps_.empty(); }

  enum class Verdict : std::uint8_t { kNone, kSome, kAll };
  // What may pass of values that lie in [min, max]; exact where it says kNone or kAll.
  Verdict judge(double min, double max) const;

  // Sets keep[i] to 1 where values[i] passes, else to 0. Of a NaN
  // that is either.
  void apply(std::span<const double> values, std::vector<std::uint8_t>& keep) const;

 private:
  std::vector<Step> steps_;
};

}  // namespace seriesdb
