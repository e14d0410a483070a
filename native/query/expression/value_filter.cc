#include "query/expression/value_filter.h"

#include <array>
#include <cmath>
#include <utility>

namespace seriesdb {
namespace {

using Verdict = ValueFilter::Verdict;

bool isComparison(FilterStep step) { return step < FilterStep::kAnd; }

Verdict verdictOf(bool some, bool all) {
  if (all) return Verdict::kAll;
  return some ? Verdict::kSome : Verdict::kNone;
}

Verdict invert(Verdict verdict) {
  if (verdict == Verdict::kSome) return verdict;
  return verdict == Verdict::kAll ? Verdict::kNone : Verdict::kAll;
}

Verdict judgeOne(const ValueFilter::Step& step, double min, double max) {
  const double c = step.constant;
  switch (step.step) {
    case FilterStep::kEqual:
      return verdictOf(min <= c && c <= max, min == c && max == c);
    case FilterStep::kNotEqual:
      return invert(judgeOne({FilterStep::kEqual, c}, min, max));
    case FilterStep::kLess:
      return verdictOf(min < c, max < c);
    case FilterStep::kLessEqual:
      return verdictOf(min <= c, max <= c);
    case FilterStep::kGreater:
      return verdictOf(max > c, min > c);
    default:
      return verdictOf(max >= c, min >= c);
  }
}

template <typename Holds>
void mark(std::span<const double> values, std::uint8_t* out, Holds holds) {
  for (std::size_t i = 0; i < values.size(); ++i) out[i] = holds(values[i]) ? 1 : 0;
}

void compareAll(const ValueFilter::Step& step, std::span<const double> values, std::uint8_t* out) {
  const double c = step.constant;
  switch (step.step) {
    case FilterStep::kEqual:
      return mark(values, out, [c](double v) { return v == c; });
    case FilterStep::kNotEqual:
      return mark(values, out, [c](double v) { return v != c; });
    case FilterStep::kLess:
      return mark(values, out, [c](double v) { return v < c; });
    case FilterStep::kLessEqual:
      return mark(values, out, [c](double v) { return v <= c; });
    case FilterStep::kGreater:
      return mark(values, out, [c](double v) { return v > c; });
    default:
      return mark(values, out, [c](double v) { return v >= c; });
  }
}

}  // namespace

Result<ValueFilter> ValueFilter::make(std::vector<Step> steps) {
  if (steps.size() > kStepsMax) return Status::invalid("the filter has too many steps");
  std::size_t depth = 0;
  for (const Step& step : steps) {
    if (isComparison(step.step)) {
      if (std::isnan(step.constant)) return Status::invalid("a filter compares with NaN");
      if (++depth > kDepthMax) return Status::invalid("the filter is nested too deeply");
      continue;
    }
    if (step.step > FilterStep::kNot) return Status::invalid("the filter has an unknown step");
    if (depth < (step.step == FilterStep::kNot ? 1u : 2u)) {
      return Status::invalid("the filter joins missing conditions");
    }
    if (step.step != FilterStep::kNot) --depth;
  }
  if (depth > 1) return Status::invalid("the filter leaves unjoined conditions");
  ValueFilter filter;
  filter.steps_ = std::move(steps);
  return filter;
}

Verdict ValueFilter::judge(double min, double max) const {
  std::array<Verdict, kDepthMax + 1> stack{Verdict::kAll};
  std::size_t depth = 0;
  for (const Step& step : steps_) {
    if (isComparison(step.step)) {
      stack[depth++] = judgeOne(step, min, max);
      continue;
    }
    Verdict& last = stack[depth - 1];
    if (step.step == FilterStep::kNot) {
      last = invert(last);
      continue;
    }
    Verdict& first = stack[--depth - 1];
    const bool isAnd = step.step == FilterStep::kAnd;
    // One operand can decide the join alone: kNone for and, kAll for or.
    const Verdict deciding = isAnd ? Verdict::kNone : Verdict::kAll;
    if (first == deciding || last == deciding) {
      first = deciding;
    } else if (last == Verdict::kSome) {
      first = Verdict::kSome;
    }
  }
  return stack[0];
}

void ValueFilter::apply(std::span<const double> values, std::vector<std::uint8_t>& keep) const {
  const std::size_t size = values.size();
  if (steps_.empty()) {
    keep.assign(size, 1);
    return;
  }
  // A stack of masks; the first one ends as the result.
  keep.resize(size * kDepthMax);
  std::size_t depth = 0;
  for (const Step& step : steps_) {
    if (isComparison(step.step)) {
      compareAll(step, values, keep.data() + size * depth++);
      continue;
    }
    std::uint8_t* last = keep.data() + size * (depth - 1);
    if (step.step == FilterStep::kNot) {
      for (std::size_t i = 0; i < size; ++i) last[i] ^= 1;
      continue;
    }
    std::uint8_t* first = last - size;
    --depth;
    if (step.step == FilterStep::kAnd) {
      for (std::size_t i = 0; i < size; ++i) first[i] &= last[i];
    } else {
      for (std::size_t i = 0; i < size; ++i) first[i] |= last[i];
    }
  }
}

}  // namespace seriesdb
