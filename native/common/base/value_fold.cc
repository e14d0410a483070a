// Sums in lanes. A lane begins at a bias so large that two subtractions undo each addition exactly,
// not the four of TwoSum: |bias| > |value| (Dekker's Fast2Sum). The part below the last digit of
// the bias goes into the rest; the part above is exact.
#include "common/base/value_fold.h"

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <iterator>

#include "common/base/clones.h"

namespace seriesdb {
namespace {

constexpr std::size_t kLanes = 8;
using Lanes = double __attribute__((vector_size(kLanes * sizeof(double))));

// Fewer values are added one by one.
constexpr std::size_t kLanesMin = 2 * kLanes;
// Two passes over a block, for bounds and for the sum, stay in the nearest cache.
constexpr std::size_t kFoldBlock = 1024;
// With a larger reach, a bias might exceed the largest double.
constexpr double kReachMax = 0x1p+960;
// If the actual reach is smaller than the given one by more than this factor, the values get a bias
// of their own. A bias that is far too large loses the rounded-off digits.
constexpr double kReachSlack = 0x1p+10;

// 1.5 times a power of two: the bias stays between that power and the next while a lane moves by up
// to half of it. Each lane adds `vectorCount` values. Eight times more, so that the lanes add up
// without rounding. REQUIRES: reach <= kReachMax.
double biasOf(double reach, std::size_t vectorCount) {
  constexpr int kMantissaBits = 52;
  const auto above = static_cast<std::uint64_t>(std::bit_width(vectorCount * kLanes)) + 2;
  const std::uint64_t exponent = (std::bit_cast<std::uint64_t>(reach) >> kMantissaBits) + above;
  return 1.5 * std::bit_cast<double>(exponent << kMantissaBits);
}

SERIESDB_INTO_CLONES double addUp(const Lanes& lanes) {
  return ((lanes[0] + lanes[4]) + (lanes[2] + lanes[6])) +
         ((lanes[1] + lanes[5]) + (lanes[3] + lanes[7]));
}

// The bounds so far; the sign of a zero is undefined.
struct Extremes {
  explicit Extremes(double first) : min(first), max(first) {}
  void add(double value) {
    min = value < min ? value : min;
    max = value > max ? value : max;
  }

  double min;
  double max;
};

// Without a constructor, as what is in clones has to be (clones.h). The same holds for the others.
struct ExtremeLanes {
  SERIESDB_INTO_CLONES void add(const Lanes& value) {
    low = value < low ? value : low;
    high = value > high ? value : high;
  }
  SERIESDB_INTO_CLONES void joinInto(Extremes& all) const {
    for (std::size_t i = 0; i < kLanes; ++i) {
      all.min = low[i] < all.min ? low[i] : all.min;
      all.max = high[i] > all.max ? high[i] : all.max;
    }
  }

  Lanes low;
  Lanes high;
};

SERIESDB_INTO_CLONES ExtremeLanes lanesOf(const Extremes& all) {
  return {Lanes{} + all.min, Lanes{} + all.max};
}

struct SumParts {
  double sum;
  double rest;
};

struct SumLanes {
  SERIESDB_INTO_CLONES void add(const Lanes& value) {
    const Lanes next = sum + value;
    rest += value - (next - sum);
    sum = next;
  }
  SERIESDB_INTO_CLONES SumParts total() const { return {addUp(sum - bias), addUp(rest)}; }

  double bias;
  Lanes sum;
  Lanes rest;
};

// REQUIRES: vectorCount * kLanes values at `at`.
SERIESDB_CLONES SumParts sumOfLanes(const double* at, std::size_t vectorCount, double bias) {
  SumLanes lanes = {bias, Lanes{} + bias, Lanes{}};
  for (std::size_t i = 0; i < vectorCount; ++i, at += kLanes) {
    Lanes value;
    std::memcpy(&value, at, sizeof value);
    lanes.add(value);
  }
  return lanes.total();
}

SERIESDB_CLONES SumParts foldOfLanes(const double* at, std::size_t vectorCount, double bias,
                                     Extremes& extremes) {
  SumLanes lanes = {bias, Lanes{} + bias, Lanes{}};
  ExtremeLanes extremeLanes = lanesOf(extremes);
  for (std::size_t i = 0; i < vectorCount; ++i, at += kLanes) {
    Lanes value;
    std::memcpy(&value, at, sizeof value);
    lanes.add(value);
    extremeLanes.add(value);
  }
  extremeLanes.joinInto(extremes);
  return lanes.total();
}

// REQUIRES: vectorCount * kLanes values at `at`.
SERIESDB_CLONES void addLanesTo(Extremes& extremes, const double* at, std::size_t vectorCount) {
  // Four chains, so that comparisons do not wait for one another.
  ExtremeLanes lanes[] = {lanesOf(extremes), lanesOf(extremes), lanesOf(extremes),
                          lanesOf(extremes)};
  constexpr std::size_t kChains = std::size(lanes);
  Lanes value;
  std::size_t i = 0;
  for (; i + kChains <= vectorCount; i += kChains) {
    for (std::size_t chain = 0; chain < kChains; ++chain, at += kLanes) {
      std::memcpy(&value, at, sizeof value);
      lanes[chain].add(value);
    }
  }
  for (; i < vectorCount; ++i, at += kLanes) {
    std::memcpy(&value, at, sizeof value);
    lanes[0].add(value);
  }
  for (std::size_t chain = 1; chain < kChains; ++chain) {
    lanes[0].add(lanes[chain].low);
    lanes[0].add(lanes[chain].high);
  }
  lanes[0].joinInto(extremes);
}

Extremes extremesOf(std::span<const double> values) {
  Extremes extremes(values.front());
  const std::size_t vectorCount = values.size() / kLanes;
  if (vectorCount > 0) addLanesTo(extremes, values.data(), vectorCount);
  for (const double value : values.subspan(vectorCount * kLanes)) extremes.add(value);
  return extremes;
}

SERIESDB_CLONES ValueBounds signZeros(std::span<const double> values, Extremes extremes) {
  std::int64_t any = 0;
  std::int64_t every = -1;
  for (const double value : values) {
    any |= std::bit_cast<std::int64_t>(value);
    every &= std::bit_cast<std::int64_t>(value);
  }
  const auto zeroOf = [](std::int64_t signs) { return signs < 0 ? -0.0 : 0.0; };
  return {extremes.min == 0 ? zeroOf(any) : extremes.min,
          extremes.max == 0 ? zeroOf(every) : extremes.max};
}

// If the least or the greatest value is a zero, the signs of all values decide which zero. All
// other values lie on one side of it.
ValueBounds boundsFrom(std::span<const double> values, const Extremes& extremes) {
  if (extremes.min == 0 || extremes.max == 0) return signZeros(values, extremes);
  return {extremes.min, extremes.max};
}

// Works on a copy, which the compiler need not store for each value.
void addSingly(std::span<const double> values, CompensatedSum& sum) {
  CompensatedSum all = sum;
  for (const double value : values) all.add(value);
  sum = all;
}

Extremes addSinglyWithExtremes(std::span<const double> values, Extremes extremes,
                               CompensatedSum& sum) {
  CompensatedSum all = sum;
  for (const double value : values) {
    all.add(value);
    extremes.add(value);
  }
  sum = all;
  return extremes;
}

bool areForLanes(std::span<const double> values, double reach) {
  return values.size() >= kLanesMin && reach <= kReachMax;
}

// Zeros add nothing: a sum begins with +0 and never becomes -0. A NaN reach gives no bias. If the
// lanes add up to less than `least`, returns false and adds nothing.
bool addReaching(std::span<const double> values, double reach, double least, CompensatedSum& sum) {
  if (reach == 0) return true;
  if (!areForLanes(values, reach)) {
    addSingly(values, sum);
    return true;
  }
  const std::size_t vectorCount = values.size() / kLanes;
  const SumParts parts = sumOfLanes(values.data(), vectorCount, biasOf(reach, vectorCount));
  const CompensatedSum added(parts.sum, parts.rest);
  if (std::fabs(added.total()) < least) return false;
  sum.add(added);
  addSingly(values.subspan(vectorCount * kLanes), sum);
  return true;
}

// The result is right only if the bounds show that the values do not exceed the given reach.
ValueBounds foldReaching(std::span<const double> values, double reach, CompensatedSum& sum) {
  const std::size_t vectorCount = values.size() / kLanes;
  Extremes extremes(values.front());
  const double bias = biasOf(reach, vectorCount);
  const SumParts parts = foldOfLanes(values.data(), vectorCount, bias, extremes);
  sum.add(CompensatedSum(parts.sum, parts.rest));
  const auto rest = values.subspan(vectorCount * kLanes);
  return boundsFrom(values, addSinglyWithExtremes(rest, extremes, sum));
}

// True if `reach` suits the values. Zeros add nothing, so any reach suits them.
bool isReachOf(const ValueBounds& bounds, double reach) {
  const double own = bounds.reach();
  return own <= reach && (own == 0 || reach <= kReachSlack * own);
}

// One pass if the given or guessed reach suits, as it mostly does; otherwise two.
ValueBounds addBlock(std::span<const double> block, double& reach, CompensatedSum& sum) {
  if (reach > 0 && areForLanes(block, reach)) {
    CompensatedSum folded = sum;
    const ValueBounds bounds = foldReaching(block, reach, folded);
    if (isReachOf(bounds, reach)) {
      sum = folded;
      return bounds;
    }
  }
  const ValueBounds bounds = boundsOf(block);
  static_cast<void>(addReaching(block, bounds.reach(), 0, sum));
  reach = 2 * bounds.reach();
  return bounds;
}

}  // namespace

// A finite number minus itself is +0, which has no bit set.
SERIESDB_CLONES bool areFinite(std::span<const double> values) {
  std::uint64_t bits = 0;
  for (const double value : values) bits |= std::bit_cast<std::uint64_t>(value - value);
  return bits == 0;
}

ValueBounds boundsOf(std::span<const double> values) {
  return boundsFrom(values, extremesOf(values));
}

void addValues(std::span<const double> values, CompensatedSum& sum, double reach) {
  if (values.size() < kLanesMin) return addSingly(values, sum);
  // If the values add up to little, the given reach may belong to other values.
  const double least = reach / kReachSlack;
  if (reach != kUnknownReach && addReaching(values, reach, least, sum)) return;
  static_cast<void>(addValuesWithBounds(values, sum));
}

ValueBounds addValuesWithBounds(std::span<const double> values, CompensatedSum& sum, double reach) {
  if (values.size() < kLanesMin) {
    return boundsFrom(values, addSinglyWithExtremes(values, Extremes(values.front()), sum));
  }
  ValueBounds all{values.front(), values.front()};
  for (std::size_t at = 0; at < values.size(); at += kFoldBlock) {
    const auto block = values.subspan(at, std::min(kFoldBlock, values.size() - at));
    all.add(addBlock(block, reach, sum));
  }
  return all;
}

}  // namespace seriesdb
