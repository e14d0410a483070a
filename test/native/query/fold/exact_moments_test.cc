// Variances are the exact ones rounded once, in every order and split.
#include "query/fold/exact_moments.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <random>
#include <span>
#include <vector>

#include "harness.h"

using namespace seriesdb;

namespace {

using Random = std::mt19937_64;
__extension__ using Quad = __float128;  // 113 bits.

bool sameBits(double a, double b) {
  return std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b);
}

ExactMoments momentsOf(std::span<const double> values) {
  ExactMoments moments;
  MomentsAdder adder;
  adder.add(values, moments);
  return moments;
}

// Adds values in parts of random sizes and through one adder, then merges them in random order.
ExactMoments momentsInParts(Random& random, std::span<const double> values) {
  MomentsAdder adder;
  std::vector<ExactMoments> parts;
  const std::size_t sizeMax = random() % 2 == 0 ? 40 : 3000;
  for (std::size_t at = 0; at < values.size();) {
    const std::size_t count = std::min<std::size_t>(1 + random() % sizeMax, values.size() - at);
    const auto part = values.subspan(at, count);
    if (parts.empty() || random() % 3 == 0) parts.emplace_back();
    adder.add(part, parts[random() % parts.size()]);
    at += count;
  }
  while (parts.size() > 1) {
    const std::size_t into = random() % (parts.size() - 1);
    parts[into].add(parts.back());
    parts.pop_back();
  }
  return parts.empty() ? ExactMoments{} : std::move(parts.front());
}

using MakeValue = double (*)(Random&);

double fraction(Random& random) { return static_cast<double>(random() >> 11) * 0x1p-53; }

const std::vector<MakeValue> kKinds = {
    [](Random& random) { return static_cast<double>(random() % 1000) - 500; },
    [](Random& random) { return static_cast<double>(random() % 100'000) / 100 - 300; },
    [](Random& random) { return 1 + fraction(random) * 999; },
    [](Random& random) { return 1e9 + static_cast<double>(random() % 3) / 10; },
    [](Random& random) { return (fraction(random) - 0.5) * std::pow(10, random() % 12); },
    [](Random& random) { return (fraction(random) - 0.5) * std::pow(10, random() % 30); },
    [](Random& random) { return random() % 3 == 0 ? -0.0 : 0.0; },
    [](Random& random) { return static_cast<double>(random() % 100) * 5e-324; },
    [](Random& random) { return random() % 2 == 0 ? 1e150 * fraction(random) : 1e-150; },
    [](Random& random) {
      const double value = std::bit_cast<double>(random());
      return std::isfinite(value) ? value : 0.0;
    },
};

}  // namespace

TEST("a variance of any doubles is the same to the bit in every order and split") {
  Random random(test::seed());
  for (int round = 0; round < 600; ++round) {
    std::vector<double> values(2 + random() % (round % 10 == 0 ? 9000 : 100));
    const MakeValue make = kKinds[random() % kKinds.size()];
    const MakeValue other = random() % 4 == 0 ? kKinds[random() % kKinds.size()] : make;
    for (double& value : values) value = (random() % 2 == 0 ? make : other)(random);
    const double expected = momentsOf(values).variance(values.size());
    EXPECT(expected >= 0);
    std::shuffle(values.begin(), values.end(), random);
    EXPECT(sameBits(momentsInParts(random, values).variance(values.size()), expected));
    std::shuffle(values.begin(), values.end(), random);
    EXPECT(sameBits(momentsInParts(random, values).variance(values.size()), expected));
  }
}

TEST("moments of many values at once equal those of single values, to the bit") {
  Random random(test::seed());
  for (int round = 0; round < 400; ++round) {
    const MakeValue make = kKinds[random() % kKinds.size()];
    std::vector<double> values(1 + random() % (round % 8 == 0 ? 3000 : 60));
    for (double& value : values) value = make(random);
    ExactMoments singly;
    MomentsAdder adder;
    for (const double& value : values) adder.add({&value, 1}, singly);
    ExactMoments atOnce = momentsOf(values);
    // The sum of values and their negation is zero.
    for (double& value : values) value = -value;
    const ExactMoments negated = momentsOf(values);
    ExactSum rest;
    rest.add(singly.sum);
    rest.add(negated.sum);
    const auto words = rest.words();
    EXPECT(std::all_of(words.begin(), words.end(), [](std::uint64_t word) { return word == 0; }));
    EXPECT(sameBits(singly.variance(values.size()), atOnce.variance(values.size())) ||
           values.size() == 1);
  }
}

TEST("a value far smaller than the others of its part still counts") {
  const std::vector<double> values = {0x1p+390, 5e-324, 0x1p+390};
  ExactMoments moments = momentsOf(values);
  moments.add(momentsOf(std::vector<double>{-0x1p+391}));
  EXPECT(moments.sum.words().size() > 0 && moments.sum.words()[0] != 0);
}

TEST("a variance is the exact one rounded once") {
  Random random(test::seed());
  for (int round = 0; round < 3000; ++round) {
    // Integers of 45 bits: their sums are exact in 113 bits.
    const std::uint64_t count = 2 + random() % 1500;
    const std::uint64_t most = std::uint64_t{1} << (1 + random() % 45);
    const int scale = static_cast<int>(random() % 600) - 300;
    std::vector<double> values;
    Quad sum = 0;
    Quad squares = 0;
    for (std::uint64_t i = 0; i < count; ++i) {
      const double value = static_cast<double>(random() % most);
      sum += value;
      squares += Quad{value} * value;
      values.push_back(std::ldexp(value, scale));
    }
    const Quad spread = Quad{static_cast<double>(count)} * squares - sum * sum;
    const Quad pairs = Quad{static_cast<double>(count)} * static_cast<double>(count - 1);
    const double expected = std::ldexp(static_cast<double>(spread / pairs), 2 * scale);
    EXPECT(sameBits(momentsInParts(random, values).variance(count), expected));
  }
}

TEST("a variance is 0 for equal values, and NaN for fewer than two or an infinite one") {
  for (const double value : {0.1, 0x1.fffffffffffffp+20, -1e308, 5e-324, 0.0, 1e200}) {
    EXPECT(sameBits(momentsOf(std::vector<double>(1234, value)).variance(1234), 0.0));
    EXPECT(std::isnan(momentsOf(std::vector<double>(1, value)).variance(1)));
  }
  EXPECT(std::isnan(momentsOf({}).variance(0)));
  const double endless = std::numeric_limits<double>::infinity();
  EXPECT(std::isnan(momentsOf(std::vector<double>{1, endless, 3}).variance(3)));
  EXPECT(momentsOf(std::vector<double>{1e200, -1e200}).variance(2) == endless);
  EXPECT(momentsOf(std::vector<double>{1e153, -1e153}).variance(2) == 2e306);
  // The sum would exceed the largest double.
  const double most = std::numeric_limits<double>::max();
  const double next = std::nextafter(most, 0);
  EXPECT(momentsOf(std::vector<double>{most, most, next}).variance(3) == endless);
  EXPECT(momentsOf(std::vector<double>{1, 2, 3, 4}).variance(4) == 5.0 / 3);
}
