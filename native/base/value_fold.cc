// Sums in lanes. A lane begins at a bias so large that each of its additions can be undone exactly
// by two subtractions, and not the four of TwoSum: |bias| > |value| (Dekker's Fast2Sum). What is
// below the last digit of the bias goes into the rest, what is above is exact.
#include "base/value_fold.h"

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "base/clones.h"

namespace seriesdb {
namespace {

constexpr std::size_t kLanes = 8;
using Lanes = double __attribute__((vector_size(kLanes * sizeof(double))));
using Words = std::int64_t __attribute__((vector_size(kLanes * sizeof(double))));

// Fewer values are added singly.
constexpr std::size_t kLanesMin = 3 * kLanes;
// What is gone over twice, for bounds and then for the sum, and stays in the nearest cache.
constexpr std::size_t kStripSize = 1024;
// Of values that reach farther a bias might pass the largest double.
constexpr double kReachMax = 0x1p+960;

// Three halves of a power of two, so that it stays between that and the next one while a lane moves
// by up to half of it: each lane adds `vectorCount` values. Eight times more, so that the lanes add
// up without rounding. REQUIRES: reach <= kReachMax.
double biasOf(double reach, std::size_t vectorCount) {
  constexpr int kMantissaBits = 52;
  const auto above = static_cast<std::uint64_t>(std::bit_width(vectorCount * kLanes)) + 2;
  const std::uint64_t exponent = (std::bit_cast<std::uint64_t>(reach) >> kMantissaBits) + above;
  return 1.5 * std::bit_cast<double>(exponent << kMantissaBits);
}

inline __attribute__((always_inline)) double addUp(const Lanes& lanes) {
  return ((lanes[0] + lanes[4]) + (lanes[2] + lanes[6])) +
         ((lanes[1] + lanes[5]) + (lanes[3] + lanes[7]));
}

// Of so many vectors of kLanes values.
SERIESDB_CLONES CompensatedSum sumOfLanes(const double* at, std::size_t vectorCount, double bias) {
  Lanes sum = Lanes{} + bias;
  Lanes rest{};
  for (std::size_t i = 0; i < vectorCount; ++i, at += kLanes) {
    Lanes value;
    std::memcpy(&value, at, sizeof value);
    const Lanes next = sum + value;
    rest += value - (next - sum);
    sum = next;
  }
  return {addUp(sum - bias), addUp(rest)};
}

// Where the least or the greatest is a zero, the signs of all values tell which one: all others lie
// on one side of it.
double signedZero(std::int64_t signs) { return signs < 0 ? -0.0 : 0.0; }

SERIESDB_CLONES ValueBounds boundsOfAll(const double* at, std::size_t left) {
  double min = *at;
  double max = *at;
  std::int64_t anySign = std::bit_cast<std::int64_t>(*at);
  std::int64_t everySign = anySign;
  if (left >= kLanes) {
    Lanes low = Lanes{} + min;
    Lanes high = low;
    Words any{};
    Words every = ~any;
    for (; left >= kLanes; left -= kLanes, at += kLanes) {
      Lanes value;
      Words word;
      std::memcpy(&value, at, sizeof value);
      std::memcpy(&word, at, sizeof word);
      low = value < low ? value : low;
      high = value > high ? value : high;
      any |= word;
      every &= word;
    }
    for (std::size_t i = 0; i < kLanes; ++i) {
      min = low[i] < min ? low[i] : min;
      max = high[i] > max ? high[i] : max;
      anySign |= any[i];
      everySign &= every[i];
    }
  }
  for (; left > 0; --left, ++at) {
    min = *at < min ? *at : min;
    max = *at > max ? *at : max;
    anySign |= std::bit_cast<std::int64_t>(*at);
    everySign &= std::bit_cast<std::int64_t>(*at);
  }
  return {min == 0 ? signedZero(anySign) : min, max == 0 ? signedZero(everySign) : max};
}

// Zeros add nothing: a sum begins with +0 and never becomes -0. A reach that is not a number makes
// no bias.
void addReaching(std::span<const double> values, double reach, CompensatedSum& sum) {
  if (reach == 0) return;
  std::size_t done = 0;
  if (values.size() >= kLanesMin && reach <= kReachMax) {
    const std::size_t vectorCount = values.size() / kLanes;
    sum.add(sumOfLanes(values.data(), vectorCount, biasOf(reach, vectorCount)));
    done = vectorCount * kLanes;
  }
  // In a copy, which the compiler need not store for each value.
  CompensatedSum left = sum;
  for (const double value : values.subspan(done)) left.add(value);
  sum = left;
}

}  // namespace

ValueBounds boundsOf(std::span<const double> values) {
  return boundsOfAll(values.data(), values.size());
}

void addValues(std::span<const double> values, CompensatedSum& sum, double reach) {
  if (reach != kUnknownReach) return addReaching(values, reach, sum);
  if (!values.empty()) static_cast<void>(addValuesWithBounds(values, sum));
}

ValueBounds addValuesWithBounds(std::span<const double> values, CompensatedSum& sum) {
  ValueBounds all{values.front(), values.front()};
  for (std::size_t at = 0; at < values.size(); at += kStripSize) {
    const auto strip = values.subspan(at, std::min(kStripSize, values.size() - at));
    const ValueBounds own = boundsOf(strip);
    all.add(own);
    addReaching(strip, own.reach(), sum);
  }
  return all;
}

}  // namespace seriesdb
