#include "query/promql/step_kernels.h"

#include <array>
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
inline double bestOfFew(std::span<const double> values, IsBetter isBetter) {
  double best = IsBetter::kWorst;
  for (const double value : values) best = isBetter(value, best) ? value : best;
  return best;
}

template <typename IsBetter>
inline double bestOfMany(std::span<const double> values, IsBetter isBetter) {
  std::array<double, kExtremeLanes> lanes;
  lanes.fill(IsBetter::kWorst);
  std::size_t at = 0;
  for (; at + kExtremeLanes <= values.size(); at += kExtremeLanes) {
    for (std::size_t lane = 0; lane < kExtremeLanes; ++lane) {
      const double value = values[at + lane];
      lanes[lane] = isBetter(value, lanes[lane]) ? value : lanes[lane];
    }
  }
  const double best = bestOfFew(std::span<const double>(lanes), isBetter);
  const double last = bestOfFew(values.subspan(at), isBetter);
  return isBetter(last, best) ? last : best;
}

SERIESDB_CLONES double highestOfMany(std::span<const double> values) {
  return bestOfMany(values, Higher());
}
SERIESDB_CLONES double lowestOfMany(std::span<const double> values) {
  return bestOfMany(values, Lower());
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
  const double best = isMany ? highestOfMany(values) : bestOfFew(values, Higher());
  return firstBest(values, best, Higher());
}

double lowestOf(std::span<const double> values) {
  const bool isMany = values.size() >= kExtremeLanes;
  const double best = isMany ? lowestOfMany(values) : bestOfFew(values, Lower());
  return firstBest(values, best, Lower());
}

// The same as NeumaierSum::add(), without branches.
SERIESDB_CLONES void addToEach(std::span<double> sums, std::span<double> rests,
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

SERIESDB_CLONES bool hasFall(std::span<const double> values) {
  const double* const at = values.data();
  std::uint64_t isAny = 0;
  for (std::size_t i = 1; i < values.size(); ++i) isAny |= at[i] < at[i - 1] ? 1 : 0;
  return isAny != 0;
}

}  // namespace seriesdb
