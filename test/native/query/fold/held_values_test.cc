#include "query/fold/held_values.h"

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include "harness.h"

using namespace seriesdb;

namespace {

// More values than one step processes, many of them equal.
std::vector<double> randomValues(std::mt19937_64& random) {
  const std::size_t size = 1 + random() % 900'000;
  const std::uint64_t kinds = 1 + random() % (random() % 2 == 0 ? 10 : 1'000'000);
  std::vector<double> values(size);
  for (double& value : values) value = static_cast<double>(random() % kinds) / 8;
  if (random() % 3 == 0) std::sort(values.begin(), values.end());
  return values;
}

TEST("percentiles and distinct counts equal those of the sorted values") {
  std::mt19937_64 random(test::seed());
  const GoOn always = [] { return true; };
  for (int round = 0; round < 12; ++round) {
    std::vector<double> values = randomValues(random);
    std::vector<double> sorted = values;
    std::sort(sorted.begin(), sorted.end());
    for (const double quantile : {0.0, 0.001, 0.5, 0.77, 1.0}) {
      const double rank = quantile * static_cast<double>(sorted.size() - 1);
      const auto low = static_cast<std::size_t>(rank);
      const std::size_t high = std::min(low + 1, sorted.size() - 1);
      const double part = rank - static_cast<double>(low);
      const double expected = sorted[low] + (sorted[high] - sorted[low]) * part;
      EXPECT(percentileOf(values, quantile, always) == expected);
    }
    const auto kinds = std::unique(sorted.begin(), sorted.end()) - sorted.begin();
    EXPECT(countDistinct(values, always) == kinds);
    EXPECT(std::is_sorted(values.begin(), values.end()));
  }
}

TEST("negative zeros sort below positive zeros") {
  std::mt19937_64 random(test::seed());
  const GoOn always = [] { return true; };
  for (int round = 0; round < 200; ++round) {
    std::vector<double> sorted;
    const auto add = [&sorted](double value, std::size_t count) {
      sorted.insert(sorted.end(), count, value);
    };
    add(-1, random() % 3);
    add(-0.0, 1 + random() % 4);
    add(0.0, 1 + random() % 4);
    add(1, random() % 3);
    for (std::size_t place = 0; place < sorted.size(); ++place) {
      std::vector<double> values = sorted;
      std::shuffle(values.begin(), values.end(), random);
      const double last = static_cast<double>(sorted.size() - 1);
      const double quantile = static_cast<double>(place) / last;
      if (quantile * last != static_cast<double>(place)) continue;
      const double found = percentileOf(values, quantile, always);
      EXPECT(found == sorted[place] && std::signbit(found) == std::signbit(sorted[place]));
    }
  }
}

TEST("percentiles and distinct counts stop early when their query has ended") {
  std::vector<double> values(2'000'000);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = std::sin(static_cast<double>(i));
  int looks = 0;
  const GoOn never = [&looks] {
    ++looks;
    return false;
  };
  percentileOf(values, 0.5, never);
  EXPECT(looks == 1);
  countDistinct(values, never);
  EXPECT(looks == 2);
  EXPECT(!std::is_sorted(values.begin(), values.end()));
}

}  // namespace
