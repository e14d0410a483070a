// A condition on `value`, such as `value > 90 or value <= -1`: comparisons with constants, joined
// by and, or, not. Immutable after make() and safe for any number of threads.
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
  // These combine the conditions before them.
  kAnd,
  kOr,
  kNot,
};

class ValueFilter {
 public:
  // A step in postfix order. Only comparisons use `constant`.
  struct Step {
    FilterStep step;
    double constant;
  };
  static constexpr std::size_t kStepsMax = 256;
  static constexpr std::size_t kDepthMax = 16;

  // An empty filter passes every value.
  ValueFilter() = default;
  // kInvalidArgument if the steps do not form one condition or are too many.
  static Result<ValueFilter> make(std::vector<Step> steps);

  bool isEmpty() const { return steps_.empty(); }

  enum class Verdict : std::uint8_t { kNone, kSome, kAll };
  // The verdict on values in [min, max]. kNone and kAll are exact.
  Verdict judge(double min, double max) const;

  // Sets keep[i] to 1 if values[i] passes, else to 0. The result for NaN is unspecified.
  void apply(std::span<const double> values, std::vector<std::uint8_t>& keep) const;

 private:
  std::vector<Step> steps_;
};

}  // namespace seriesdb
