// The retention clock: retention removes samples that are past their keep by this clock. A single
// wrong clock, of this machine or of the clients, must not make it run ahead.
//
// Invariants: it is never ahead of both the wall clock and the clients. If these two agree within a
// day, it follows the wall clock; otherwise it advances as fast as time passes. It moves back only
// if the two agree that it is more than two days ahead, which happens after both were wrong. Moving
// back keeps more samples, and they can still be removed later.
#pragma once

#include <optional>

#include "common/types/partition.h"
#include "common/types/sample.h"
#include "common/types/timestamp_unit.h"

namespace seriesdb {

// The interval between moves, in hours of the monotonic clock.
inline constexpr std::int64_t kRetentionMoveHours = 1;

struct ClockReadings {
  Timestamp wall = 0;
  Duration passed = 0;  // Since the last move or the opening, by the monotonic clock.
  // The newest timestamp that arrived since the last move. Timestamps more than a day ahead of the
  // wall clock on arrival do not count.
  std::optional<Timestamp> newest{};
};

// The first value of the clock in a database with samples; `stored` is their newest timestamp.
// Returns the earliest of all clocks. Null: not yet, because no client has confirmed the wall
// clock, and the hour that clients have for this is not over.
std::optional<Timestamp> startRetentionClock(Timestamp stored, const ClockReadings& readings,
                                             TimestampUnit unit);
Timestamp moveRetentionClock(Timestamp clock, const ClockReadings& readings, TimestampUnit unit);
// True if the clock must move back; the caller need not wait for the next hourly move.
bool isRetentionAhead(Timestamp clock, const ClockReadings& readings, TimestampUnit unit);
// True if `to` is more than two days after `from`: an operator should be told.
bool isRetentionJump(Timestamp from, Timestamp to, TimestampUnit unit);

}  // namespace seriesdb
