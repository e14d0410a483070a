#include "query/promql/step_kernels.h"

#include <cmath>
#include <cstdint>
#include <limits>

#include "common/base/clones.h"

namespace seriesdb {
namespace {

struct Higher {
  static constexpr double kWorst = -std::numeric_limits<double>::infinity();
  bool operator()(double value, double than) const { return value > than; }
};
struct Lower {
  static constexpr double kWorst = std::numeric_limits<double>::infinity();
  bool operator()(double value, double than) const { return value < than; }
};

// So many independent lanes that comparisons do not wait for one another.
constexpr std::size_t kExtremeLanes = 32;

// NaN is never better, so it is skipped.
template <typename IsBetter>
SERIESDB_INTO_CLONES double bestOfFew(const double* values, std::size_t n, IsBetter isBetter) {
  double best = IsBetter::kWorst;
  for (std::size_t i = 0; i < n; ++i) best = isBetter(values[i], best) ? values[i] : best;
  return best;
}

template <typename IsBetter>
SERIESDB_INTO_CLONES double bestOfMany(const double* values, std::size_t n, IsBetter isBetter) {
  double lanes[kExtremeLanes];
  for (double& lane : lanes) lane = IsBetter::kWorst;
  std::size_t at = 0;
  for (; at + kExtremeLanes <= n; at += kExtremeLanes) {
    for (std::size_t lane = 0; lane < kExtremeLanes; ++lane) {
      const double value = values[at + lane];
      lanes[lane] = isBetter(value, lanes[lane]) ? value : lanes[lane];
    }
  }
  const double best = bestOfFew(lanes, kExtremeLanes, isBetter);
  const double last = bestOfFew(values + at, n - at, isBetter);
  return isBetter(last, best) ? last : best;
}

SERIESDB_CLONES double highestOfMany(const double* values, std::size_t n) {
  return bestOfMany(values, n, Higher());
}
SERIESDB_CLONES double lowestOfMany(const double* values, std::size_t n) {
  return bestOfMany(values, n, Lower());
}

// The two below are not the public functions: clang makes no clones of what is called before.

// The same as NeumaierSum::add(), without branches.
SERIESDB_CLONES void addEach(std::span<double> sums, std::span<double> rests,
                             std::span<const double> values) {
  constexpr double kMost = std::numeric_limits<double>::max();
  double* const sum = sums.data();
  double* const rest = rests.data();
  const double* const value = values.data();
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double next = sum[i] + value[i];
    const bool isSumLarger = std::fabs(sum[i]) >= std::fabs(value[i]);
    const double larger = isSumLarger ? sum[i] : value[i];
    const double lesser = isSumLarger ? value[i] : sum[i];
    const double kept = rest[i] + ((larger - next) + lesser);
    rest[i] = std::fabs(next) > kMost ? 0 : kept;
    sum[i] = next;
  }
}

SERIESDB_CLONES bool anyFalls(std::span<const double> values) {
  const double* const at = values.data();
  std::uint64_t isAny = 0;
  for (std::size_t i = 1; i < values.size(); ++i) isAny |= at[i] < at[i - 1] ? 1 : 0;
  return isAny != 0;
}

// If nothing beats the worst value, or the best is a zero, the order decides: the first counts.
template <typename IsBetter>
double firstBest(std::span<const double> values, double best, IsBetter isBetter) {
  if (best != IsBetter::kWorst && best != 0) return best;
  best = values[0];
  for (const double value : values) {
    if (isBetter(value, best) || std::isnan(best)) best = value;
  }
  return best;
}

}  // namespace

double highestOf(std::span<const double> values) {
  const bool isMany = values.size() >= kExtremeLanes;
  const double best = isMany ? highestOfMany(values.data(), values.size())
                             : bestOfFew(values.data(), values.size(), Higher());
  return firstBest(values, best, Higher());
}

double lowestOf(std::span<const double> values) {
  const bool isMany = values.size() >= kExtremeLanes;
  const double best = isMany ? lowestOfMany(values.data(), values.size())
                             : bestOfFew(values.data(), values.size(), Lower());
  return firstBest(values, best, Lower());
}

void addToEach(std::span<double> sums, std::span<double> rests, std::span<const double> values) {
  addEach(sums, rests, values);
}

bool hasFall(std::span<const double> values) { return anyFalls(values); }

}  // namespace seriesdb
