// The expected results of functions at steps, computed plainly: each window separately, sample by
// sample.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include "common/types/stale_marker.h"
#include "query/promql/step_plan.h"

namespace seriesdb::test {

// Times in milliseconds.
using Sampled = std::vector<std::pair<std::int64_t, double>>;
using Naive = std::optional<double>;

inline void kahan(double value, double& sum, double& rest) {
  const double next = sum + value;
  if (std::isinf(next)) {
    rest = 0;
  } else {
    const bool isLarger = std::fabs(sum) >= std::fabs(value);
    rest += isLarger ? (sum - next) + value : (value - next) + sum;
  }
  sum = next;
}

inline Naive naiveGrowth(const Sampled& in, const StepPlan& plan, std::int64_t until) {
  const bool isCounter = plan.function != StepFunction::kDelta;
  if (in.size() < 2) return {};
  double grown = in.back().second - in.front().second;
  for (std::size_t i = 1; isCounter && i < in.size(); ++i) {
    if (in[i].second < in[i - 1].second) grown += in[i - 1].second;
  }
  double start = static_cast<double>(in.front().first - (until - plan.window)) / 1000;
  double end = static_cast<double>(until - in.back().first) / 1000;
  const double span = static_cast<double>(in.back().first - in.front().first) / 1000;
  const double gap = span / static_cast<double>(in.size() - 1);
  if (start >= gap * 1.1) start = gap / 2;
  if (isCounter && grown > 0 && in.front().second >= 0) {
    const double zero = span * (in.front().second / grown);
    if (zero < start) start = zero;
  }
  if (end >= gap * 1.1) end = gap / 2;
  double factor = (span + start + end) / span;
  // A duration's seconds as Go computes them: whole seconds plus the remainder.
  const double length =
      static_cast<double>(plan.window / 1000) + static_cast<double>(plan.window % 1000) / 1000;
  if (plan.function == StepFunction::kRate) factor /= length;
  return grown * factor;
}

inline Naive naiveLast(const Sampled& in, bool isRate) {
  if (in.size() < 2) return {};
  const auto& [ms, value] = in.back();
  const auto& [msBefore, before] = in[in.size() - 2];
  const double step = isRate && value < before ? value : value - before;
  return isRate ? step / (static_cast<double>(ms - msBefore) / 1000) : step;
}

inline double naiveMean(const Sampled& in) {
  double sum = in[0].second;
  double rest = 0;
  double mean = 0;
  bool isMean = false;
  for (std::size_t i = 1; i < in.size(); ++i) {
    const auto count = static_cast<double>(i + 1);
    if (!isMean) {
      double next = sum;
      double nextRest = rest;
      kahan(in[i].second, next, nextRest);
      if (!std::isinf(next)) {
        sum = next;
        rest = nextRest;
        continue;
      }
      isMean = true;
      mean = sum / (count - 1);
      rest /= count - 1;
    }
    mean *= (count - 1) / count;
    rest *= (count - 1) / count;
    kahan(in[i].second / count, mean, rest);
  }
  const auto count = static_cast<double>(in.size());
  return isMean ? mean + rest : sum / count + rest / count;
}

inline double naiveVariance(const Sampled& in) {
  double count = 0, mean = 0, meanRest = 0, squares = 0, squaresRest = 0;
  for (const auto& [ms, value] : in) {
    ++count;
    const double delta = value - (mean + meanRest);
    kahan(delta / count, mean, meanRest);
    kahan(delta * (value - (mean + meanRest)), squares, squaresRest);
  }
  return (squares + squaresRest) / count;
}

inline double naiveQuantile(double quantile, std::vector<double> values) {
  if (std::isnan(quantile)) return NAN;
  if (quantile < 0) return -INFINITY;
  if (quantile > 1) return INFINITY;
  std::sort(values.begin(), values.end(),
            [](double a, double b) { return std::isnan(a) ? !std::isnan(b) : a < b; });
  const double rank = quantile * static_cast<double>(values.size() - 1);
  const auto low = static_cast<std::size_t>(rank);
  const std::size_t high = std::min(low + 1, values.size() - 1);
  const double weight = rank - std::floor(rank);
  return values[low] * (1 - weight) + values[high] * weight;
}

inline double naiveMad(const std::vector<double>& values) {
  const double median = naiveQuantile(0.5, values);
  std::vector<double> apart;
  for (const double value : values) apart.push_back(std::fabs(value - median));
  return naiveQuantile(0.5, apart);
}

// Returns the slope, and the value at `at`.
inline std::pair<double, double> naiveLine(const Sampled& in, std::int64_t at) {
  double x = 0, xr = 0, y = 0, yr = 0, xy = 0, xyr = 0, xx = 0, xxr = 0, n = 0;
  bool isConstant = true;
  for (const auto& [ms, value] : in) {
    if (n > 0 && value != in[0].second) isConstant = false;
    const double time = static_cast<double>(ms - at) / 1000;
    ++n;
    kahan(time, x, xr);
    kahan(value, y, yr);
    kahan(time * value, xy, xyr);
    kahan(time * time, xx, xxr);
  }
  if (isConstant) {
    const double first = in[0].second;
    const bool isFar = std::isinf(first);
    return {isFar ? static_cast<double>(NAN) : 0, isFar ? static_cast<double>(NAN) : first};
  }
  x += xr;
  y += yr;
  xy += xyr;
  xx += xxr;
  const double slope = (xy - x * y / n) / (xx - x * x / n);
  return {slope, y / n - slope * x / n};
}

inline double naiveSmoothing(const Sampled& in, double factor, double trendFactor) {
  double before = 0;
  double level = in[0].second;
  double trend = in[1].second - in[0].second;
  for (std::size_t i = 1; i < in.size(); ++i) {
    if (i > 1) trend = trendFactor * (level - before) + (1 - trendFactor) * trend;
    const double next = factor * in[i].second + (1 - factor) * (level + trend);
    before = level;
    level = next;
  }
  return level;
}

inline double naiveExtreme(const Sampled& in, StepFunction function) {
  const bool isTime = function == StepFunction::kTimeOfMin || function == StepFunction::kTimeOfMax;
  const bool isMax = function == StepFunction::kMax || function == StepFunction::kTimeOfMax;
  auto best = in[0];
  for (const auto& one : in) {
    const bool isBetter = isMax ? one.second > best.second : one.second < best.second;
    const bool isEqual = isTime && one.second == best.second;
    if (isBetter || isEqual || std::isnan(best.second)) best = one;
  }
  return isTime ? static_cast<double>(best.first) / 1000 : best.second;
}

inline double naiveCount(const Sampled& in, bool isOfResets) {
  double count = 0;
  for (std::size_t i = 1; i < in.size(); ++i) {
    const double before = in[i - 1].second;
    const double value = in[i].second;
    const bool isChange = value != before && !(std::isnan(value) && std::isnan(before));
    if (isOfResets ? value < before : isChange) ++count;
  }
  return count;
}

// The result at a step for the samples of one series. kSamples is not supported.
inline Naive naiveAt(const Sampled& all, const StepPlan& plan, std::size_t step) {
  const std::int64_t at = plan.grid.at(step);
  const std::int64_t until = at - plan.offset;
  Sampled in;
  for (const auto& one : all) {
    const bool isIn = until - plan.window < one.first && one.first <= until;
    if (isIn && (seesStale(plan.function) || !isStale(one.second))) in.push_back(one);
  }
  if (in.empty()) return {};
  std::vector<double> values;
  for (const auto& one : in) values.push_back(one.second);
  const auto argument = [&](std::size_t i) {
    const auto& given = plan.arguments[i];
    return given[given.size() == 1 ? 0 : step];
  };
  double sum = 0;
  double rest = 0;
  switch (plan.function) {
    case StepFunction::kLast:
      return isStale(values.back()) ? Naive{} : values.back();
    case StepFunction::kLastTime:
      return isStale(values.back()) ? Naive{} : static_cast<double>(in.back().first) / 1000;
    case StepFunction::kRate:
    case StepFunction::kIncrease:
    case StepFunction::kDelta:
      return naiveGrowth(in, plan, until);
    case StepFunction::kIrate:
    case StepFunction::kIdelta:
      return naiveLast(in, plan.function == StepFunction::kIrate);
    case StepFunction::kDeriv:
      return in.size() < 2 ? Naive{} : naiveLine(in, in[0].first).first;
    case StepFunction::kPredictLinear: {
      if (in.size() < 2) return {};
      const auto [slope, value] = naiveLine(in, at);
      return slope * argument(0) + value;
    }
    case StepFunction::kChanges:
    case StepFunction::kResets:
      return naiveCount(in, plan.function == StepFunction::kResets);
    case StepFunction::kAvg:
      return naiveMean(in);
    case StepFunction::kMin:
    case StepFunction::kMax:
    case StepFunction::kTimeOfMin:
    case StepFunction::kTimeOfMax:
      return naiveExtreme(in, plan.function);
    case StepFunction::kSum:
      for (const double value : values) kahan(value, sum, rest);
      return std::isinf(sum) ? sum : sum + rest;
    case StepFunction::kCount:
      return static_cast<double>(in.size());
    case StepFunction::kPresent:
      return 1;
    case StepFunction::kQuantile:
      return naiveQuantile(argument(0), values);
    case StepFunction::kStdvar:
      return naiveVariance(in);
    case StepFunction::kStddev:
      return std::sqrt(naiveVariance(in));
    case StepFunction::kMad:
      return naiveMad(values);
    case StepFunction::kTimeOfLast:
      return static_cast<double>(in.back().first) / 1000;
    case StepFunction::kSmoothing:
      return in.size() < 2 ? Naive{} : naiveSmoothing(in, argument(0), argument(1));
    default:
      return values.back();
  }
}

}  // namespace seriesdb::test
