// Window functions that process several values at a time.
#include <bit>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "harness.h"
#include "query/promql/place_functions.h"
#include "query/promql/sum_functions.h"

using namespace seriesdb;

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

template <bool isMax>
double naiveExtremeOf(const std::vector<double>& values) {
  double best = values[0];
  for (const double value : values) {
    if ((isMax ? value > best : value < best) || std::isnan(best)) best = value;
  }
  return best;
}

bool isSame(double a, double b) {
  return std::isnan(a) ? std::isnan(b)
                       : std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b);
}

}  // namespace

TEST("max and min return the first of equal values, and NaN only if all values are NaN") {
  const std::vector<double> some = {kNan, kNan, -0.0, 0.0, kInfinity, -kInfinity, 1, -1};
  std::mt19937_64 random(test::seed());
  for (std::size_t round = 0; round < 20'000; ++round) {
    // Some rounds use few distinct values, so that all may be equal.
    const std::size_t kinds = 1 + random() % some.size();
    const std::size_t first = random() % some.size();
    std::vector<double> values(1 + random() % 100);
    for (double& value : values) value = some[(first + random() % kinds) % some.size()];
    EXPECT(isSame(highestOf(values), naiveExtremeOf<true>(values)));
    EXPECT(isSame(lowestOf(values), naiveExtremeOf<false>(values)));
  }
}

TEST("sums of many values are compensated, and infinities and NaN carry through") {
  std::vector<double> values(100, 0.1);
  EXPECT(sumOf(values) == 10 && meanOf(values) == 0.1);
  values[10] = 1e100;
  values[20] = -1e100;
  EXPECT(std::fabs(sumOf(values) - 9.8) < 1e-14);
  EXPECT(std::fabs(meanOf(values) - 0.098) < 1e-16);
  // The sum exceeds the largest double; the mean does not.
  std::vector<double> large(100, std::numeric_limits<double>::max());
  EXPECT(sumOf(large) == kInfinity);
  EXPECT(std::fabs(meanOf(large) / std::numeric_limits<double>::max() - 1) < 1e-15);
  values[30] = kInfinity;
  EXPECT(sumOf(values) == kInfinity);
  values[40] = -kInfinity;
  EXPECT(std::isnan(sumOf(values)));
  std::vector<double> zeros(100, -0.0);
  EXPECT(isSame(sumOf(zeros), 0.0));
  zeros[50] = kNan;
  EXPECT(std::isnan(sumOf(zeros)) && std::isnan(meanOf(zeros)));
}

TEST("a sum is NaN if any value is NaN") {
  for (const std::size_t place : {0, 5, 1023, 1024, 1499}) {
    std::vector<double> values(1500, 0);
    for (std::size_t i = 1024; i < values.size(); ++i) values[i] = 1;
    values[place] = kNan;
    EXPECT(std::isnan(sumOf(values)) && std::isnan(meanOf(values)));
  }
}

TEST("a sum of a window does not depend on its memory alignment") {
  std::mt19937_64 random(test::seed());
  std::vector<double> all(1000);
  for (double& value : all) value = static_cast<double>(random() % 100'000) / 7;
  for (std::size_t begin = 0; begin < 100; ++begin) {
    const auto window = std::span(all).subspan(begin, 700);
    const std::vector<double> copy(window.begin(), window.end());
    EXPECT(isSame(sumOf(window), sumOf(copy)) && isSame(meanOf(window), meanOf(copy)));
  }
}
