#include "query/expression/calendar.h"

#include <algorithm>

#include "common/types/wide.h"

namespace seriesdb {
namespace {

constexpr std::int64_t kDaySeconds = 86'400;
// The limit of the interpreter's calendar, on both sides of 1970.
constexpr std::int64_t kSecondsMax = 8'640'000'000'000 - 400 * kDaySeconds;

std::int64_t floorDivide(std::int64_t dividend, std::int64_t divisor) {
  const std::int64_t quotient = dividend / divisor;
  return quotient - static_cast<std::int64_t>(dividend % divisor < 0);
}

// The month of a day, counted from January 1970. Howard Hinnant: chrono-compatible low-level date
// algorithms.
std::int64_t monthOfDay(std::int64_t day) {
  constexpr std::int64_t kDaysToMarch0000 = 719'468;
  constexpr std::int64_t kEraDays = 146'097;
  day += kDaysToMarch0000;
  const std::int64_t era = floorDivide(day, kEraDays);
  const std::int64_t ofEra = day - era * kEraDays;
  const std::int64_t yearOfEra = (ofEra - ofEra / 1460 + ofEra / 36'524 - ofEra / 146'096) / 365;
  const std::int64_t ofYear = ofEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100);
  const std::int64_t fromMarch = (5 * ofYear + 2) / 153;
  return (yearOfEra + era * 400 - 1970) * 12 + fromMarch + 2;
}

// The first day of a month.
std::int64_t dayOfMonth(std::int64_t month) {
  const std::int64_t fromMarch0000 = month + 1970 * 12 - 2;
  const std::int64_t year = floorDivide(fromMarch0000, 12);
  const std::int64_t era = floorDivide(year, 400);
  const std::int64_t yearOfEra = year - era * 400;
  const std::int64_t ofYear = (153 * (fromMarch0000 - year * 12) + 2) / 5;
  const std::int64_t ofEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + ofYear;
  return era * 146'097 + ofEra - 719'468;
}

}  // namespace

TimeRange calendarRange(std::int64_t unitsPerSecond) {
  return {clampToTimestamp(Wide{-kSecondsMax} * unitsPerSecond),
          clampToTimestamp((Wide{kSecondsMax} + 1) * unitsPerSecond - 1)};
}

std::optional<std::int64_t> stretchOf(const Months& months, Timestamp ts) {
  const std::int64_t seconds = floorDivide(ts, months.unitsPerSecond);
  if (seconds > kSecondsMax || seconds < -kSecondsMax) return std::nullopt;
  return floorDivide(monthOfDay(floorDivide(seconds, kDaySeconds)), months.count);
}

std::optional<Timestamp> stretchStart(const Months& months, std::int64_t stretch) {
  const std::int64_t seconds = dayOfMonth(stretch * months.count) * kDaySeconds;
  Timestamp start;
  if (__builtin_mul_overflow(seconds, months.unitsPerSecond, &start)) return std::nullopt;
  return start;
}

}  // namespace seriesdb
