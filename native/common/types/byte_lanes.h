// Tests of eight bytes of text at once: bits are set where any of the bytes meets the test.
#pragma once

#include <cstdint>
#include <string_view>

#include "common/base/bytes.h"

namespace seriesdb {

inline constexpr std::uint64_t kEachByte = 0x0101010101010101;
inline constexpr std::uint64_t kTopOfEachByte = 0x8080808080808080;

// Not 0 if a byte is below `limit`, which is at most 128.
constexpr std::uint64_t anyByteBelow(std::uint64_t eight, std::uint8_t limit) {
  return (eight - kEachByte * limit) & ~eight & kTopOfEachByte;
}
// Not 0 if a byte is `wanted`.
constexpr std::uint64_t anyByteIs(std::uint64_t eight, std::uint8_t wanted) {
  return anyByteBelow(eight ^ (kEachByte * wanted), 1);
}

// Where to begin a search by single bytes: none before it meets the test.
template <typename AnyOfEight>
std::size_t skipEights(std::string_view text, AnyOfEight anyOfEight) {
  constexpr std::size_t kEight = sizeof(std::uint64_t);
  if (text.size() < kEight) return 0;
  const auto meets = [&](std::size_t at) {
    return anyOfEight(loadLe<std::uint64_t>(text.data() + at)) != 0;
  };
  const std::size_t last = text.size() - kEight;
  for (std::size_t at = 0; at < last; at += kEight) {
    if (meets(at)) return at;
  }
  // These overlap with the eight before them.
  return meets(last) ? last : text.size();
}

}  // namespace seriesdb
