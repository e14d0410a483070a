#include "query/promql/sum_functions.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>

#include "common/base/value_fold.h"
#include "query/promql/neumaier_sum.h"
#include "query/promql/step_window.h"

namespace seriesdb {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

// NaN sorts before all numbers.
bool isLower(double a, double b) { return std::isnan(a) ? !std::isnan(b) : a < b; }

// The sum of many values, added side by side because that is quicker. Null if the values are few,
// if one is not finite or the sum overflows. Also null if so much cancels that the rounding of the
// largest value matters.
std::optional<double> totalOf(std::span<const double> values) {
  constexpr std::size_t kMany = 16;
  constexpr double kCancelledMax = 0x1p+26;
  if (values.size() < kMany || !areFinite(values)) return std::nullopt;
  CompensatedSum sum;
  const double reach = addValuesWithBounds(values, sum).reach();
  const double total = sum.total();
  const bool isSound = std::isfinite(total) && reach <= std::fabs(total) * kCancelledMax;
  return isSound ? std::optional(total) : std::nullopt;
}

}  // namespace

double sumOf(std::span<const double> values) {
  if (const auto total = totalOf(values)) return *total;
  NeumaierSum sum;
  for (const double value : values) sum.add(value);
  return std::isinf(sum.sum) ? sum.sum : sum.total();
}

double meanOf(std::span<const double> values) {
  if (const auto total = totalOf(values)) return *total / static_cast<double>(values.size());
  RunningMean mean(values[0]);
  double count = 1;
  for (const double value : values.subspan(1)) mean.add(value, ++count);
  return mean.of(count);
}

double varianceOf(std::span<const double> values) {
  NeumaierSum mean;
  NeumaierSum squares;
  double count = 0;
  for (const double value : values) {
    ++count;
    const double delta = value - mean.total();
    mean.add(delta / count);
    squares.add(delta * (value - mean.total()));
  }
  return squares.total() / count;
}

double quantileOf(double quantile, std::span<double> values) {
  if (std::isnan(quantile)) return kNan;
  if (quantile < 0) return -kInfinity;
  if (quantile > 1) return kInfinity;
  const double rank = quantile * static_cast<double>(values.size() - 1);
  const auto low = static_cast<std::size_t>(std::floor(rank));
  const std::size_t high = std::min(low + 1, values.size() - 1);
  const auto lowest = values.begin() + static_cast<std::ptrdiff_t>(low);
  std::nth_element(values.begin(), lowest, values.end(), isLower);
  const double lower = *lowest;
  const double upper = high == low ? lower : *std::min_element(lowest + 1, values.end(), isLower);
  const double weight = rank - std::floor(rank);
  return lower * (1 - weight) + upper * weight;
}

double medianDeviationOf(std::span<double> values) {
  constexpr double kMedian = 0.5;
  const double median = quantileOf(kMedian, values);
  for (double& value : values) value = std::fabs(value - median);
  return quantileOf(kMedian, values);
}

double smoothed(std::span<const double> values, double factor, double trendFactor) {
  double before = 0;
  double level = values[0];
  double trend = values[1] - values[0];
  for (std::size_t i = 1; i < values.size(); ++i) {
    const double scaled = factor * values[i];
    if (i > 1) trend = trendFactor * (level - before) + (1 - trendFactor) * trend;
    before = std::exchange(level, scaled + (1 - factor) * (level + trend));
  }
  return level;
}

Line lineThrough(std::span<const std::int64_t> ms, std::span<const double> values,
                 std::int64_t at) {
  const auto differs = [&](double value) { return value != values[0]; };
  if (std::none_of(values.begin() + 1, values.end(), differs)) {
    return std::isinf(values[0]) ? Line{kNan, kNan} : Line{0, values[0]};
  }
  NeumaierSum sumX;
  NeumaierSum sumY;
  NeumaierSum sumXy;
  NeumaierSum sumXx;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double x = seconds(ms[i] - at);
    sumX.add(x);
    sumY.add(values[i]);
    sumXy.add(x * values[i]);
    sumXx.add(x * x);
  }
  const auto count = static_cast<double>(values.size());
  const double covariance = sumXy.total() - sumX.total() * sumY.total() / count;
  const double variance = sumXx.total() - sumX.total() * sumX.total() / count;
  const double slope = covariance / variance;
  return {slope, sumY.total() / count - slope * sumX.total() / count};
}

}  // namespace seriesdb
