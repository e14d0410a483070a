// The inner loops of aggregates that base/value_fold.h has not, over a stretch of values. In lanes,
// so that additions do not wait for one another; compiled for several instruction sets, of which
// the loader picks one.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "common/base/compensated_sum.h"

namespace seriesdb {

// Values are cut into digits of 23 bits with a sign: up to 2^22 units, of which those of the next
// digit are 2^-23. So the sums of products of digits of 1,024 values are exact in lanes of doubles:
// a lane has 256 values, of two products of at most 2^44 each.
inline constexpr int kSquareDigitBits = 23;
inline constexpr std::size_t kSquareDigitsMax = 4;
inline constexpr std::size_t kDigitLanes = 4;
inline constexpr std::size_t kDigitValuesMax = 1024;

// Of a double: all but the sign.
inline constexpr std::uint64_t kSizeBits = ~std::uint64_t{0} >> 1;

struct DigitSums {
  // In units of the digit.
  std::array<std::int64_t, kSquareDigitsMax> values;
  // The digits of the squares: products of digits i and k at i + k, in the product of both units.
  std::array<std::int64_t, 2 * kSquareDigitsMax - 1> products;
};

// How far the values are from zero; infinite where one is. REQUIRES: no NaN; a multiple of
// kDigitLanes values.
double reachOf(std::span<const double> values);
// The unit of the first digit. 0 where digits or their products might leave the doubles, and of 0.
double firstUnitOf(double reach);
// The sums of digits and of squares. False if `digits` digits do not hold every value. REQUIRES:
// the unit of a reach of all values; a multiple of kDigitLanes values, at most kDigitValuesMax.
bool foldDigits(std::span<const double> values, double unit, std::size_t digits, DigitSums& sums);

// Adds a counter's gains between neighbours; a drop is a restart at zero.
void addIncrease(std::span<const double> values, CompensatedSum& sum);

}  // namespace seriesdb
