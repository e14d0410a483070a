// Numbers as JSON text.
//
// Two families with the same results. parse* take a whole token of any length. read* read a slot of
// a frame in place, without knowing where it ends. They are fast and may give up (nullptr) on
// tokens that parse* accept. They never accept a token that parse* refuse, nor give another value.
#pragma once

#include <charconv>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "common/base/bytes.h"

namespace seriesdb {

enum class NumberParse : std::uint8_t { kOk, kMalformed, kOverflow };

// Strict JSON grammar. kOverflow if the magnitude exceeds the largest double; an underflow gives
// zero.
NumberParse parseDouble(std::string_view token, double& value);

// A JSON number without fraction and exponent. kMalformed if it is no JSON number or has one of
// these; kOverflow outside the signed 64-bit range.
NumberParse parseInteger(std::string_view token, std::int64_t& value);

bool isJsonNumber(std::string_view token);

// The number in JSON notation: many programs also write `+1`, `1.`, `.5` and `007`. Empty if the
// text is no number.
std::string jsonNumberOf(std::string_view text);

// True if the token is an integer that differs from its double, because no double represents it.
bool isInexactInteger(std::string_view token, double value);

// Readable bytes that read* and numberEnd() require from the start of a token.
inline constexpr std::size_t kNumberRoom = 96;

namespace number_text {

inline constexpr std::uint64_t kPowersOfTen[] = {1,       10,        100,        1'000,      10'000,
                                                 100'000, 1'000'000, 10'000'000, 100'000'000};
inline constexpr double kExactPowers[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                          1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                          1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
inline constexpr int kExactPowerMax = 22;
inline constexpr std::uint64_t kExactMantissaMax = 1ull << 53;
// A mantissa of this many digits fits 64 bits.
inline constexpr unsigned kDigitCountMax = 19;

// The number of leading decimal digits among the 8 characters. A carry out of a byte only affects
// bytes after the first character that is no digit.
inline unsigned leadingDigits(std::uint64_t text) {
  const std::uint64_t high = 0xF0F0F0F0F0F0F0F0ull;
  const std::uint64_t digit = 0x3030303030303030ull;
  const std::uint64_t wrong =
      ((text & high) ^ digit) | (((text + 0x0606060606060606ull) & high) ^ digit);
  return wrong == 0 ? 8 : static_cast<unsigned>(__builtin_ctzll(wrong)) / 8;
}

// The number that 8 digits (or zero bytes in front of them) spell.
inline std::uint64_t valueOfDigits(std::uint64_t text) {
  text = ((text & 0x0F0F0F0F0F0F0F0Full) * 2561) >> 8;
  text = ((text & 0x00FF00FF00FF00FFull) * 6553601) >> 16;
  return ((text & 0x0000FFFF0000FFFFull) * 42949672960001ull) >> 32;
}

// Reads at most 24 digits; the mantissa wraps beyond 19 of them.
inline const char* readDigits(const char* at, std::uint64_t& mantissa) {
  for (int round = 0; round < 3; ++round) {
    const auto text = loadLe<std::uint64_t>(at);
    const unsigned count = leadingDigits(text);
    if (count == 0) return at;
    mantissa = mantissa * kPowersOfTen[count] + valueOfDigits(text << (64 - 8 * count));
    at += count;
    if (count < 8) return at;
  }
  return at;
}

inline bool isDigit(char c) { return static_cast<unsigned char>(c - '0') < 10; }

// Reads an exponent after its `e`; at most 4 digits. nullptr if there is none or it is longer.
inline const char* readExponent(const char* at, int& exponent) {
  const bool isNegative = *at == '-';
  if (isNegative || *at == '+') ++at;
  int magnitude = 0;
  int count = 0;
  for (; count < 4 && isDigit(*at); ++count, ++at) magnitude = magnitude * 10 + (*at - '0');
  if (count == 0 || isDigit(*at)) return nullptr;
  exponent = isNegative ? -magnitude : magnitude;
  return at;
}

// The slow part of readDouble(); the token's grammar is already checked.
inline const char* convertToken(const char* first, const char* last, double& value,
                                std::uint32_t& inexactCount) {
  const auto result = std::from_chars(first, last, value);
  if (result.ec != std::errc{} || result.ptr != last) return nullptr;
  const auto size = static_cast<std::size_t>(last - first);
  inexactCount += isInexactInteger({first, size}, value) ? 1 : 0;
  return last;
}

}  // namespace number_text

// Reads the double at `at`; returns the end of its token, or nullptr. Counts integers that no
// double represents; all of these take the slow part. REQUIRES: kNumberRoom readable bytes.
[[gnu::always_inline]] inline const char* readDouble(const char* at, double& value,
                                                     std::uint32_t& inexactCount) {
  using namespace number_text;
  const char* const token = at;
  const bool isNegative = *at == '-';
  at += isNegative ? 1 : 0;
  const char* const digits = at;
  std::uint64_t mantissa = 0;
  at = readDigits(at, mantissa);
  auto digitCount = static_cast<unsigned>(at - digits);
  // One branch for all cases, because the count of digits is hard to predict.
  if ((digitCount == 0) | (digitCount == 24) | ((digitCount > 1) & (*digits == '0')))
    return nullptr;
  int exponent = 0;
  if (*at == '.') {
    const char* const fraction = ++at;
    at = readDigits(at, mantissa);
    const auto fractionCount = static_cast<unsigned>(at - fraction);
    if (fractionCount == 0 || fractionCount == 24) return nullptr;
    digitCount += fractionCount;
    exponent = -static_cast<int>(fractionCount);
  }
  if ((*at | 0x20) == 'e') {
    int written = 0;
    at = readExponent(at + 1, written);
    if (at == nullptr) return nullptr;
    exponent += written;
  }
  // Both factors are exact, so the product is rounded correctly, once (Clinger).
  if (digitCount > kDigitCountMax || mantissa > kExactMantissaMax || exponent < -kExactPowerMax ||
      exponent > kExactPowerMax) {
    return convertToken(token, at, value, inexactCount);
  }
  auto magnitude = static_cast<double>(mantissa);
  if (exponent < 0) magnitude /= kExactPowers[-exponent];
  if (exponent > 0) magnitude *= kExactPowers[exponent];
  value = isNegative ? -magnitude : magnitude;
  return at;
}

// Reads the integer at `at`; returns the end of its token, or nullptr. The caller sees a fraction
// or exponent as the text that follows. REQUIRES: kNumberRoom readable bytes.
inline const char* readInteger(const char* at, std::int64_t& value) {
  using namespace number_text;
  const bool isNegative = *at == '-';
  at += isNegative ? 1 : 0;
  const char* const digits = at;
  std::uint64_t magnitude = 0;
  at = readDigits(at, magnitude);
  const auto count = static_cast<unsigned>(at - digits);
  // 19 digits fit 64 unsigned bits; the sign bit shows if they fit 63.
  if ((count == 0) | (count > kDigitCountMax) | ((count > 1) & (*digits == '0'))) return nullptr;
  if (magnitude > static_cast<std::uint64_t>(INT64_MAX)) return nullptr;
  value = isNegative ? -static_cast<std::int64_t>(magnitude) : static_cast<std::int64_t>(magnitude);
  return at;
}

}  // namespace seriesdb
