// Key values as words that order as the values do. So one code compares and sorts all kinds of
// keys.
#pragma once

#include <bit>
#include <cstdint>

namespace seriesdb {

inline constexpr std::uint64_t kWordSign = std::uint64_t{1} << 63;

inline std::uint64_t wordOfInteger(std::int64_t value) {
  return static_cast<std::uint64_t>(value) ^ kWordSign;
}
inline std::int64_t integerOfWord(std::uint64_t word) {
  return static_cast<std::int64_t>(word ^ kWordSign);
}

// REQUIRES: no NaN. Both zeros have one word.
inline std::uint64_t wordOfDouble(double value) {
  const auto bits = std::bit_cast<std::uint64_t>(value + 0.0);
  return (bits & kWordSign) == 0 ? bits | kWordSign : ~bits;
}
inline double doubleOfWord(std::uint64_t word) {
  return std::bit_cast<double>((word & kWordSign) != 0 ? word ^ kWordSign : ~word);
}

// A key's value: null or a word. A boolean has the same word as in expressions.
struct KeyValue {
  bool isNull;
  std::uint64_t word;
};

}  // namespace seriesdb
