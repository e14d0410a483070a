// Calendar times in ISO 8601.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace seriesdb {

struct Moment {
  std::int64_t seconds;  // Since 1970.
  std::int64_t nanos;    // In addition; less than a second.
};

// `2026-01-31`, with `T` or a space also `12:30`, `12:30:05`, `12:30:05.25`, and with `Z`, `+01:00`
// or `+01` a zone; UTC without one. Digits after the ninth of a fraction are dropped. Null if the
// text is no calendar time.
std::optional<Moment> readIsoTime(std::string_view text);

// Converts to a unit of so many nanoseconds, rounded towards the past; false if the result does not
// fit.
bool inUnit(const Moment& moment, std::int64_t nanosPerUnit, std::int64_t& out);

}  // namespace seriesdb
