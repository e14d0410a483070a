// The time that retention believes. What is older than its keep by this clock is removed, so it
// must not run ahead because one clock is wrong, that of this machine or those of the clients.
//
// Invariants. It never falls. It is never ahead of the wall clock and of the clients at once: where
// the two agree it is the wall clock, else it goes on as fast as time passes, from where it was.
#pragma once

#include <optional>

#include "model/partition.h"
#include "model/sample.h"
#include "model/timestamp_unit.h"

namespace seriesdb {

// It moves so often, by the monotonic clock.
inline constexpr std::int64_t kRetentionMoveHours = 1;

struct ClockReadings {
  Timestamp wall = 0;
  Duration passed = 0;  // Since the last move, by the monotonic clock.
  // The newest timestamp that arrived since then. One that was more than a day ahead of the wall
  // clock as it arrived does not count.
  std::optional<Timestamp> newest{};
};

// Where it starts in a database that has samples, the newest of them at `newest`.
Timestamp startRetentionClock(Timestamp newest, Timestamp wall);
Timestamp moveRetentionClock(Timestamp clock, const ClockReadings& readings, TimestampUnit unit);
// Whether the move is so wide that an operator should hear of it.
bool isRetentionJump(Timestamp from, Timestamp to, TimestampUnit unit);

}  // namespace seriesdb
