// The folds of fold/fold_kernels.h and base/value_fold.h, against plain loops.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "common/base/value_fold.h"
#include "harness.h"
#include "query/expression/kernel_inputs.h"
#include "query/fold/fold_kernels.h"
#include "query/promql/neumaier_sum.h"
#include "query/promql/step_kernels.h"

namespace seriesdb::twins {
namespace {

__extension__ using WideSum = __int128;

std::span<const double> spanOf(test::Placed<double>& values) {
  return {values.data(), values.size()};
}

std::vector<double> plainGains(std::span<const double> values) {
  std::vector<double> gains;
  for (std::size_t i = 1; i < values.size(); ++i) {
    const bool isRestart = values[i] < values[i - 1];
    gains.push_back(isRestart ? values[i] : values[i] - values[i - 1]);
  }
  return gains;
}

// The exact sum of whole numbers, rounded once.
double exactSum(std::span<const double> values) {
  WideSum sum = 0;
  for (const double value : values) sum += static_cast<WideSum>(value);
  return static_cast<double>(sum);
}

double wholeNumber(test::Random& random) {
  return static_cast<double>(static_cast<std::int64_t>(random()) >> (1 + random() % 63));
}

bool sameSum(const CompensatedSum& a, const CompensatedSum& b) {
  return test::sameNumber(a.total(), b.total()) &&
         test::sameNumber(a.beyondTotal(), b.beyondTotal());
}

ValueBounds plainBounds(std::span<const double> values) {
  const auto isBefore = [](double a, double b) {
    return a < b || (a == b && std::signbit(a) && !std::signbit(b));
  };
  return {*std::min_element(values.begin(), values.end(), isBefore),
          *std::max_element(values.begin(), values.end(), isBefore)};
}

bool sameBounds(const ValueBounds& a, const ValueBounds& b) {
  return test::sameNumber(a.min, b.min) && test::sameNumber(a.max, b.max);
}

TEST(KERNEL_NAME ": exact sums of values and of squares equal a plain sum") {
  if (!(KERNEL_RUNS)) return;
  test::Random random(test::seed());
  test::forEachPlace([&](std::size_t size, std::size_t offset) {
    // The last of `digits` digits counts ones.
    const std::size_t digits = 1 + random() % 3;
    const int bits = static_cast<int>(digits) * kSquareDigitBits - 1;
    const std::int64_t most = std::int64_t{1} << std::min(bits, 50);
    test::Placed<double> values(size, offset, [&] {
      return static_cast<double>(static_cast<std::int64_t>(random()) % most);
    });
    const auto all =
        spanOf(values).first(std::min(size / kDigitLanes * kDigitLanes, kDigitValuesMax));
    WideSum sum = 0;
    WideSum squares = 0;
    for (const double value : all) {
      sum += static_cast<WideSum>(value);
      squares += static_cast<WideSum>(value) * static_cast<WideSum>(value);
    }
    const double unit = firstUnitOf(std::ldexp(1.0, bits - 1));
    for (std::size_t count = 1; count <= kSquareDigitsMax; ++count) {
      DigitSums sums{};
      if (!foldDigits(all, unit, count, sums)) {
        EXPECT(count < digits);
        continue;
      }
      WideSum foundSum = 0;
      WideSum foundSquares = 0;
      for (std::size_t i = 0; i < digits; ++i) {
        foundSum = (foundSum << kSquareDigitBits) + sums.values[i];
      }
      for (std::size_t i = 0; i + 1 < 2 * digits; ++i) {
        foundSquares = (foundSquares << kSquareDigitBits) + sums.products[i];
      }
      EXPECT(foundSum == sum && foundSquares == squares);
    }
  });
}

TEST(KERNEL_NAME ": the reach of values is their largest absolute value") {
  if (!(KERNEL_RUNS)) return;
  test::Random random(test::seed() + 2);
  test::forEachPlace([&](std::size_t size, std::size_t offset) {
    test::Placed<double> values(size, offset, [&] { return test::anyOrdered(random); });
    const auto all = spanOf(values).first(size / kDigitLanes * kDigitLanes);
    double most = 0;
    for (const double value : all) most = std::max(most, std::abs(value));
    EXPECT(test::sameNumber(reachOf(all), most));
  });
}

TEST(KERNEL_NAME ": the increase of a counter sums its gains and restarts") {
  if (!(KERNEL_RUNS)) return;
  test::Random random(test::seed() + 1);
  test::forEachPlace([&](std::size_t size, std::size_t offset) {
    test::Placed<double> whole(size, offset, [&] { return wholeNumber(random); });
    CompensatedSum sum;
    addIncrease(spanOf(whole), sum);
    EXPECT(test::sameNumber(sum.total(), exactSum(plainGains(spanOf(whole)))));

    test::Placed<double> any(size, offset, [&] { return test::anyOrdered(random); });
    const std::vector<double> gains = plainGains(spanOf(any));
    if (std::any_of(gains.begin(), gains.end(), [](double gain) { return std::isnan(gain); })) {
      return;
    }
    CompensatedSum found;
    CompensatedSum expected;
    addIncrease(spanOf(any), found);
    addValues(gains, expected);
    EXPECT(sameSum(found, expected));
  });
}

TEST(KERNEL_NAME ": a sum of whole numbers is the exact sum rounded once") {
  if (!(KERNEL_RUNS)) return;
  test::Random random(test::seed() + 2);
  test::forEachPlace([&](std::size_t size, std::size_t offset) {
    test::Placed<double> values(size, offset, [&] { return wholeNumber(random); });
    const auto all = spanOf(values);
    const double expected = exactSum(all);
    CompensatedSum plain;
    addValues(all, plain);
    EXPECT(test::sameNumber(plain.total(), expected));
    if (all.empty()) return;
    CompensatedSum reaching;
    addValues(all, reaching, plainBounds(all).reach());
    EXPECT(test::sameNumber(reaching.total(), expected));
    CompensatedSum bounded;
    EXPECT(sameBounds(addValuesWithBounds(all, bounded), plainBounds(all)));
    EXPECT(test::sameNumber(bounded.total(), expected));
    // The known reach may be right, too large, or a wrong guess.
    for (const double factor : {1.0, 1000.0, 0.5}) {
      CompensatedSum known;
      const double reach = plainBounds(all).reach() * factor;
      EXPECT(sameBounds(addValuesWithBounds(all, known, reach), plainBounds(all)));
      EXPECT(test::sameNumber(known.total(), expected));
    }
  });
}

// Only builds that include the sources (KERNEL_TARGET) can call functions internal to their files.
#ifdef KERNEL_TARGET
TEST(KERNEL_NAME ": sums in lanes equal those of eight plain lanes, bit for bit") {
  if (!(KERNEL_RUNS)) return;
  test::Random random(test::seed() + 4);
  test::forEachPlace([&](std::size_t size, std::size_t offset) {
    test::Placed<double> values(size, offset, [&] { return test::anyNumber(random); });
    const double bias = test::anyOrdered(random);
    std::array<double, 8> sums;
    std::array<double, 8> rests{};
    sums.fill(bias);
    for (std::size_t i = 0; i < size / 8 * 8; ++i) {
      const double next = sums[i % 8] + values[i];
      rests[i % 8] += values[i] - (next - sums[i % 8]);
      sums[i % 8] = next;
    }
    for (double& sum : sums) sum -= bias;
    const auto joined = [](const std::array<double, 8>& of) {
      return ((of[0] + of[4]) + (of[2] + of[6])) + ((of[1] + of[5]) + (of[3] + of[7]));
    };
    const CompensatedSum expected(joined(sums), joined(rests));
    const SumParts sum = sumOfLanes(values.data(), size / 8, bias);
    EXPECT(sameSum(CompensatedSum(sum.sum, sum.rest), expected));
    if (size == 0) return;
    Extremes extremes(values[0]);
    const SumParts fold = foldOfLanes(values.data(), size / 8, bias, extremes);
    EXPECT(sameSum(CompensatedSum(fold.sum, fold.rest), expected));
  });
}
#endif

template <typename IsBetter>
double plainExtreme(std::span<const double> values, IsBetter isBetter) {
  double best = values[0];
  for (const double value : values) {
    if (isBetter(value, best) || std::isnan(best)) best = value;
  }
  return best;
}

TEST(KERNEL_NAME ": extremes skip NaN, and are the first of equal values") {
  if (!(KERNEL_RUNS)) return;
  test::Random random(test::seed() + 5);
  test::forEachPlace([&](std::size_t size, std::size_t offset) {
    if (size == 0) return;
    for (const std::uint64_t kind : {0, 1, 2}) {
      test::Placed<double> values(size, offset, [&] {
        const double zero = random() % 2 == 0 ? 0.0 : -0.0;
        if (kind == 0) return zero;
        if (kind == 1) return random() % 4 == 0 ? zero : std::nan("");
        return test::anyNumber(random);
      });
      const auto all = spanOf(values);
      EXPECT(test::sameNumber(highestOf(all), plainExtreme(all, std::greater<>())));
      EXPECT(test::sameNumber(lowestOf(all), plainExtreme(all, std::less<>())));
    }
  });
}

TEST(KERNEL_NAME ": lane sums equal single additions, and falling values are found") {
  if (!(KERNEL_RUNS)) return;
  test::Random random(test::seed() + 6);
  test::forEachPlace([&](std::size_t size, std::size_t offset) {
    test::Placed<double> values(size, offset, [&] { return test::anyNumber(random); });
    test::Placed<double> sums(size, offset, [&] { return test::anyNumber(random); });
    test::Placed<double> rests(size, offset, [&] { return wholeNumber(random) * 0x1p-60; });
    std::vector<NeumaierSum> plain;
    bool isFall = false;
    for (std::size_t i = 0; i < size; ++i) {
      plain.push_back({sums[i], rests[i]});
      plain[i].add(values[i]);
      isFall = isFall || (i > 0 && values[i] < values[i - 1]);
    }
    EXPECT(hasFall(spanOf(values)) == isFall);
    test::Placed<double> equal(size, offset, [&] { return 7.0; });
    EXPECT(!hasFall(spanOf(equal)));
    addToEach({sums.data(), size}, {rests.data(), size}, spanOf(values));
    for (std::size_t i = 0; i < size; ++i) {
      EXPECT(test::sameNumber(sums[i], plain[i].sum));
      EXPECT(test::sameNumber(rests[i], plain[i].rest));
    }
  });
}

TEST(KERNEL_NAME ": bounds are the minimum and maximum, with -0 below +0") {
  if (!(KERNEL_RUNS)) return;
  test::Random random(test::seed() + 3);
  test::forEachPlace([&](std::size_t size, std::size_t offset) {
    if (size == 0) return;
    // Zeros of both signs, alone and at the edge of the others; then random values.
    for (const double least : {0.0, -1.0, 1.0, -HUGE_VAL}) {
      test::Placed<double> values(size, offset, [&] {
        if (least == -HUGE_VAL) return test::anyOrdered(random);
        const double zero = random() % 2 == 0 ? 0.0 : -0.0;
        return least == 0 || random() % 2 == 0 ? zero : least;
      });
      EXPECT(sameBounds(boundsOf(spanOf(values)), plainBounds(spanOf(values))));
    }
  });
}

}  // namespace
}  // namespace seriesdb::twins
