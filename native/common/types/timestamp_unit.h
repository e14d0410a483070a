// The unit of a database's timestamps. Fixed when the directory is created.
#pragma once

#include <cstdint>
#include <iterator>
#include <optional>
#include <string_view>

#include "common/types/sample.h"

namespace seriesdb {

// On disk: do not renumber.
enum class TimestampUnit : std::uint8_t {
  kSeconds = 0,
  kMilliseconds = 1,
  kMicroseconds = 2,
  kNanoseconds = 3
};

inline constexpr std::string_view kUnitNames[] = {"s", "ms", "us", "ns"};

inline std::string_view unitName(TimestampUnit unit) {
  return kUnitNames[static_cast<std::size_t>(unit)];
}
inline std::optional<TimestampUnit> unitFromName(std::string_view name) {
  for (std::uint8_t i = 0; i < 4; ++i) {
    if (kUnitNames[i] == name) return static_cast<TimestampUnit>(i);
  }
  return std::nullopt;
}
inline constexpr std::int64_t unitsPerSecond(TimestampUnit unit) {
  constexpr std::int64_t kPerSecond[] = {1, 1'000, 1'000'000, 1'000'000'000};
  return kPerSecond[static_cast<std::size_t>(unit)];
}

// Units of arriving times: the database units in their order, and two more.
inline constexpr std::string_view kPrecisionNames[] = {"s", "ms", "us", "ns", "m", "h"};

inline std::optional<std::int64_t> nanosOfPrecision(std::string_view name) {
  constexpr std::int64_t kNanos[] = {
      1'000'000'000, 1'000'000, 1'000, 1, 60'000'000'000, 3'600'000'000'000};
  for (std::size_t i = 0; i < std::size(kPrecisionNames); ++i) {
    if (kPrecisionNames[i] == name) return kNanos[i];
  }
  return std::nullopt;
}

// Multiply or floor-divide an arriving ts to the database's unit: stored = ts * multiply / divide
// (one of them 1). Overflow is kInvalidRecord.
struct TimestampConversion {
  std::int64_t multiply = 1;
  std::int64_t divide = 1;
};

// Converts between units given in nanoseconds. REQUIRES: one divides the other.
inline constexpr TimestampConversion conversionOf(std::int64_t from, std::int64_t to) {
  return from > to ? TimestampConversion{from / to, 1} : TimestampConversion{1, to / from};
}

// False when the product does not fit. Division rounds towards minus infinity.
inline bool convertTimestamp(std::int64_t arrived, const TimestampConversion& conversion,
                             Timestamp& out) {
  if (__builtin_mul_overflow(arrived, conversion.multiply, &out)) return false;
  if (conversion.divide == 1) return true;
  const auto quotient = out / conversion.divide;
  out = quotient - (out % conversion.divide < 0 ? 1 : 0);
  return true;
}

}  // namespace seriesdb
