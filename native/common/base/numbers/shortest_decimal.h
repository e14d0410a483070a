// The shortest decimal that reads back as the same double, for doubles of everyday size; among
// several, the nearest one. The method is Schubfach (Raffaello Giulietti, "The Schubfach way to
// render doubles", 2021). For these doubles it needs few powers of ten, which are exact in 64 bits.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

namespace seriesdb {

// digits * 10^exponent. At most 17 digits; they may end in zeros.
struct ShortestDecimal {
  std::uint64_t digits;
  int exponent;
};

// The argument range of `shortestOf`: [kShortestMin, kShortestMax).
inline constexpr double kShortestMin = 1e-6;
inline constexpr double kShortestMax = 9007199254740992.0;  // 2^53

namespace shortest_decimal {

__extension__ using Wide = unsigned __int128;

// floor(log2(10^power)).
constexpr int log2OfTen(int power) { return power * 1741647 >> 19; }

// 10^power, shifted so that its highest bit is bit 63. No bit is lost, because 5^22 has 52 bits.
constexpr int kPowerMax = 22;
inline constexpr auto kPowers = [] {
  std::array<std::uint64_t, kPowerMax + 1> powers{};
  Wide power = 1;
  for (int i = 0; i <= kPowerMax; ++i, power *= 10) {
    powers[static_cast<std::size_t>(i)] =
        static_cast<std::uint64_t>(power << (127 - log2OfTen(i)) >> 64);
  }
  return powers;
}();

// The upper half of the product. Its last bit is set if any bit of the lower half is.
inline std::uint64_t multiplyToOdd(std::uint64_t power, std::uint64_t factor) {
  const Wide product = Wide{power} * factor;
  const auto rest = static_cast<std::uint64_t>(product);
  return static_cast<std::uint64_t>(product >> 64) | (rest != 0 ? 1 : 0);
}

}  // namespace shortest_decimal

// REQUIRES: kShortestMin <= value < kShortestMax.
inline ShortestDecimal shortestOf(double value) {
  using shortest_decimal::multiplyToOdd;
  constexpr int kFractionBits = 52;
  constexpr int kBias = 1075;
  const auto bits = std::bit_cast<std::uint64_t>(value);
  const std::uint64_t fraction = bits & ((std::uint64_t{1} << kFractionBits) - 1);
  const std::uint64_t mantissa = fraction | std::uint64_t{1} << kFractionBits;
  const int binary = static_cast<int>(bits >> kFractionBits) - kBias;
  // Below a power of two, the next double is half as far away as above it.
  const bool isCloserBelow = fraction == 0;
  // floor(log10(2^binary)), or of three quarters of 2^binary.
  const int exponent = (binary * 1262611 - (isCloserBelow ? 524031 : 0)) >> 22;
  const int shift = binary + shortest_decimal::log2OfTen(-exponent) + 1;
  const auto power = shortest_decimal::kPowers[static_cast<std::size_t>(-exponent)];
  // Four times the value, and the halfway points to its neighbours, in units of 10^exponent.
  const std::uint64_t below = (4 * mantissa - (isCloserBelow ? 1 : 2)) << shift;
  const std::uint64_t above = (4 * mantissa + 2) << shift;
  const std::uint64_t here = multiplyToOdd(power, 4 * mantissa << shift);
  // If the mantissa is even, the bounds themselves read back as this double.
  const std::uint64_t isOdd = mantissa & 1;
  const std::uint64_t lower = multiplyToOdd(power, below) + isOdd;
  const std::uint64_t upper = multiplyToOdd(power, above) - isOdd;

  // Computes both candidates without a branch, because digits are unpredictable.
  const std::uint64_t whole = here / 4;
  const bool isWholeIn = lower <= 4 * whole;
  const bool isNextIn = 4 * whole + 4 <= upper;
  // If both or neither lie inside, the nearer one; of two equally near ones, the even one.
  const std::uint64_t middle = 4 * whole + 2;
  const bool isNearer = (here > middle) | ((here == middle) & ((whole & 1) != 0));
  const bool isUp = (isNextIn & !isWholeIn) | ((isNextIn == isWholeIn) & isNearer);
  // One digit less, if exactly one of the two shorter neighbours lies inside.
  const std::uint64_t tens = whole / 10;
  const bool isTensIn = lower <= 40 * tens;
  const bool isNextTensIn = 40 * tens + 40 <= upper;
  const std::uint64_t isFewer = isTensIn != isNextTensIn ? 1 : 0;
  const std::uint64_t full = whole + (isUp ? 1 : 0);
  const std::uint64_t fewer = tens + (isNextTensIn ? 1 : 0);
  return {full + (fewer - full) * isFewer, exponent + static_cast<int>(isFewer)};
}

}  // namespace seriesdb
