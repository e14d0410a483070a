// Times of the calendar, as ISO 8601 writes them.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace seriesdb {

struct Moment {
  std::int64_t seconds;  // Since 1970.
  std::int64_t nanos;    // After that, less than a second.
};

// `2026-01-31`, with `T` or a space also `12:30`, `12:30:05`, `12:30:05.25`, and with `Z`, `+01:00`
// or `+01` a zone; UTC without one. Digits behind the ninth of a fraction are cut. None where the
// text is no time of the calendar.
std::optional<Moment> readIsoTime(std::string_view text);

// In a unit of so many nanoseconds, cut towards the past; false where it does not fit.
bool inUnit(const Moment& moment, std::int64_t nanosPerUnit, std::int64_t& out);

}  // namespace seriesdb
