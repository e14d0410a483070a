#include "storage/retention/retention_clock.h"

#include <algorithm>

#include "storage/compaction/ladder.h"

namespace seriesdb {
namespace {

constexpr std::int64_t kAgreeDays = 1;
// The largest step, in days, that the monotonic clock alone may move the retention clock. A
// monotonic clock may jump, for example after the machine slept.
constexpr std::int64_t kPassedDaysMax = 1;
constexpr std::int64_t kJumpDays = 2;

bool agree(const ClockReadings& readings, TimestampUnit unit) {
  if (!readings.newest) return false;
  const Duration most = days(kAgreeDays, unit);
  return *readings.newest >= earlier(readings.wall, most) &&
         *readings.newest <= later(readings.wall, most);
}

}  // namespace

std::optional<Timestamp> startRetentionClock(Timestamp stored, const ClockReadings& readings,
                                             TimestampUnit unit) {
  if (agree(readings, unit)) return std::min(readings.wall, *readings.newest);
  if (readings.passed < hours(kRetentionMoveHours, unit)) return std::nullopt;
  const Timestamp first = std::min(stored, readings.wall);
  return std::min(first, readings.newest.value_or(first));
}

Timestamp moveRetentionClock(Timestamp clock, const ClockReadings& readings, TimestampUnit unit) {
  if (isRetentionAhead(clock, readings, unit)) return readings.wall;
  if (agree(readings, unit)) return std::max(clock, readings.wall);
  return later(clock, std::clamp<Duration>(readings.passed, 0, days(kPassedDaysMax, unit)));
}

bool isRetentionAhead(Timestamp clock, const ClockReadings& readings, TimestampUnit unit) {
  return agree(readings, unit) && isRetentionJump(readings.wall, clock, unit);
}

bool isRetentionJump(Timestamp from, Timestamp to, TimestampUnit unit) {
  return to > later(from, days(kJumpDays, unit));
}

}  // namespace seriesdb
