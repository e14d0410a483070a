// Sums do not depend on order or splits, and bounds do not depend on the order of zeros.
#include "common/base/value_fold.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <vector>

#include "harness.h"

using namespace seriesdb;

namespace {

using Random = std::mt19937_64;
__extension__ using Wide = __int128;

bool sameBits(double a, double b) {
  return std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b);
}

// The exact sum of decimals below 2^14, rounded once.
double exactSum(std::span<const double> values) {
  constexpr int kPlaces = 90;
  Wide sum = 0;
  for (const double value : values) {
    int exponent = 0;
    const auto mantissa = static_cast<std::int64_t>(std::ldexp(std::frexp(value, &exponent), 53));
    sum += Wide{mantissa} << (exponent - 53 + kPlaces);
  }
  return std::ldexp(static_cast<double>(sum), -kPlaces);
}

double decimal(Random& random) {
  const std::array<double, 4> powers = {1, 10, 100, 1000};
  const auto mantissa = static_cast<std::int64_t>(random() % 16'000) - 4'000;
  return static_cast<double>(mantissa) / powers[random() % powers.size()];
}

// Different ways to sum the same values; all must agree.
constexpr std::uint64_t kWays = 7;
CompensatedSum sumOf(std::span<const double> values, std::uint64_t way) {
  CompensatedSum sum;
  if (values.empty()) return sum;
  if (way == 0) {
    for (const double value : values) sum.add(value);
  } else if (way == 1) {
    addValues(values, sum);
  } else if (way == 2) {
    static_cast<void>(addValuesWithBounds(values, sum));
  } else if (way < 5) {
    addValues(values, sum, boundsOf(values).reach() * (way == 3 ? 1 : 1000));
  } else {
    // The reach of a chunk with a few far larger values, which are left out here.
    const double reach = std::max(boundsOf(values).reach(), 0x1p+120);
    if (way == 5) addValues(values, sum, reach);
    if (way == 6) static_cast<void>(addValuesWithBounds(values, sum, reach));
  }
  return sum;
}

}  // namespace

TEST("a sum of decimals is the exact sum rounded once, in any order and any split") {
  Random random(test::seed());
  for (int round = 0; round < 400; ++round) {
    std::vector<double> values(random() % (round % 10 == 0 ? 9000 : 200));
    for (double& value : values) value = decimal(random);
    const double expected = exactSum(values);
    std::shuffle(values.begin(), values.end(), random);
    CompensatedSum parts;
    for (std::size_t at = 0; at < values.size();) {
      const std::size_t count = std::min<std::size_t>(random() % 1500, values.size() - at);
      parts.add(sumOf(std::span<const double>(values).subspan(at, count), random() % kWays));
      at += count;
    }
    EXPECT(sameBits(parts.total(), expected));
    EXPECT(sameBits(sumOf(values, random() % kWays).total(), expected));
  }
}

TEST("large values that cancel out lose no small ones, and zeros do not change a sum") {
  for (std::uint64_t way = 0; way < kWays; ++way) {
    std::vector<double> values(64, -0.0);
    EXPECT(sameBits(sumOf(values, way).total(), 0.0));
    values[3] = 0x1p57;
    values[17] = 0.1;
    values[40] = -0x1p57;
    EXPECT(sumOf(values, way).total() == 0.1);
    values[40] = 1e300;
    EXPECT(std::isfinite(sumOf(values, way).total()));
    values[41] = values[42] = values[60] = std::numeric_limits<double>::max();
    EXPECT(!std::isfinite(sumOf(values, way).total()));
    values[41] = std::numeric_limits<double>::infinity();
    EXPECT(!std::isfinite(sumOf(values, way).total()));
    const std::vector<double> least(70, 5e-324);
    EXPECT(sumOf(least, way).total() == 70 * 5e-324);
  }
}

TEST("the total and its remainder together equal the exact sum") {
  Random random(test::seed());
  CompensatedSum sum;
  for (int i = 0; i < 10'000; ++i) {
    sum.add(decimal(random) + 20'000);
    CompensatedSum joined(sum.total(), sum.beyondTotal());
    joined.add(-sum.total());
    EXPECT(joined.total() == sum.beyondTotal());
    EXPECT(std::fabs(sum.beyondTotal()) <= std::ldexp(sum.total(), -53));
  }
}

TEST("bounds equal those of a plain loop at every length and offset, and -0 sorts below +0") {
  Random random(test::seed());
  const std::array<double, 8> edges = {0.0, -0.0, 5e-324, -5e-324, 1.5, -1.5, HUGE_VAL, -HUGE_VAL};
  for (int round = 0; round < 20'000; ++round) {
    const bool isOfZeros = random() % 2 == 0;
    std::vector<double> all(1 + random() % 70);
    for (double& value : all) {
      value = random() % 3 == 0 ? decimal(random) : edges[random() % (isOfZeros ? 2 : 8)];
      if (isOfZeros) value = std::copysign(edges[random() % 2], round % 2 == 0 ? value : 1 - value);
      if (isOfZeros && random() % 2 == 0) value += round % 4 < 2 ? 1 : -1;
    }
    const auto values = std::span<const double>(all).subspan(random() % all.size());
    const auto before = [](double a, double b) {
      return a < b || (a == b && std::signbit(a) && !std::signbit(b));
    };
    const double min = *std::min_element(values.begin(), values.end(), before);
    const double max = *std::max_element(values.begin(), values.end(), before);
    ValueBounds joined{values[0], values[0]};
    for (const double value : values) joined.add({value, value});
    CompensatedSum sum;
    for (const ValueBounds& found : {boundsOf(values), joined, addValuesWithBounds(values, sum)}) {
      EXPECT(sameBits(found.min, min) && sameBits(found.max, max));
      EXPECT(found.reach() == std::max(std::fabs(min), std::fabs(max)));
    }
  }
}
