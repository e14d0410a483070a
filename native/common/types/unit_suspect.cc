#include "common/types/unit_suspect.h"

#include <algorithm>

namespace seriesdb {
namespace {

constexpr std::int64_t kYearSeconds = 31'556'952;
constexpr std::int64_t kFarYears = 50;
constexpr std::int64_t kNearYears = 20;
// The latest time that fits in nanoseconds, so that no product overflows.
constexpr std::int64_t kSuspectSecondsMax = INT64_MAX / 1'000'000'000;

// The range of this many years around now, in the unit.
TimeRange around(std::int64_t nowSeconds, std::int64_t years, TimestampUnit unit) {
  const auto bounded = [](std::int64_t seconds) {
    return std::clamp(seconds, -kSuspectSecondsMax, kSuspectSecondsMax);
  };
  const std::int64_t now = bounded(nowSeconds);
  const std::int64_t scale = unitsPerSecond(unit);
  return {bounded(now - years * kYearSeconds) * scale, bounded(now + years * kYearSeconds) * scale};
}

// The time as the client sent it, less the digits that the conversion cut.
std::optional<Timestamp> arrivedOf(Timestamp ts, TimestampConversion conversion) {
  Timestamp arrived = 0;
  if (__builtin_mul_overflow(ts, conversion.divide, &arrived)) return std::nullopt;
  return arrived / conversion.multiply;
}

// The unit in which the received time lies near now; none if there is none.
std::optional<TimestampUnit> likelierUnit(Timestamp arrived, std::int64_t now) {
  for (std::uint8_t i = 0; i < std::size(kUnitNames); ++i) {
    const auto unit = static_cast<TimestampUnit>(i);
    if (around(now, kNearYears, unit).contains(arrived)) return unit;
  }
  return std::nullopt;
}

}  // namespace

UnitSuspects findUnitSuspects(std::span<const Timestamp> ts, TimestampUnit unit,
                              std::int64_t nowSeconds, TimestampConversion conversion) {
  UnitSuspects suspects;
  if (ts.empty()) return suspects;
  const TimeRange plausible = around(nowSeconds, kFarYears, unit);
  // Nearly all batches end here: one pass without a branch per timestamp.
  const auto [least, greatest] = std::minmax_element(ts.begin(), ts.end());
  suspects.greatest = *greatest;
  if (plausible.contains(*least) && plausible.contains(*greatest)) return suspects;
  for (const Timestamp one : ts) {
    if (plausible.contains(one)) continue;
    const auto arrived = arrivedOf(one, conversion);
    const auto likelier = arrived ? likelierUnit(*arrived, nowSeconds) : std::nullopt;
    if (!likelier) continue;
    if (suspects.count++ > 0) continue;
    suspects.first = one;
    suspects.unit = *likelier;
  }
  return suspects;
}

}  // namespace seriesdb
