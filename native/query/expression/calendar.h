// Stretches of months in UTC: half-open, counted from January 1970. The same times have a
// stretch as in the interpreter, src/query/seriesql/plan/bucket.ts.
#pragma once

#include <cstdint>
#include <optional>

#include "common/types/sample.h"

namespace seriesdb {

struct Months {
  std::int64_t count;           // Above 0, at most kCountMax.
  std::int64_t unitsPerSecond;  // Above 0.

  static constexpr std::int64_t kCountMax = 1'000'000;

  bool isValid() const { return count > 0 && count <= kCountMax && unitsPerSecond > 0; }
};

// The times that the calendar reaches, on both sides of 1970.
TimeRange calendarRange(std::int64_t unitsPerSecond);

// Both functions REQUIRE valid months.
// The number of the stretch with this time; null beyond the calendar.
std::optional<std::int64_t> stretchOf(const Months& months, Timestamp ts);
// The first time of a stretch from stretchOf(), or of the stretch after it; null if int64 cannot
// hold it.
std::optional<Timestamp> stretchStart(const Months& months, std::int64_t stretch);

}  // namespace seriesdb
