// The time that retention believes. What is older than its keep by this clock is removed, so it
// must not run ahead because one clock is wrong, that of this machine or those of the clients.
//
// Invariants. It is never ahead of the wall clock and of the clients at once: where the two agree
// it is the wall clock, else it goes on as fast as time passes, from where it was. It falls only
// where the two agree that it is days ahead, as it is once both were wrong: that keeps more, and
// what is kept too long can still be removed.
#pragma once

#include <optional>

#include "common/types/partition.h"
#include "common/types/sample.h"
#include "common/types/timestamp_unit.h"

namespace seriesdb {

// It moves so often, by the monotonic clock.
inline constexpr std::int64_t kRetentionMoveHours = 1;

struct ClockReadings {
  Timestamp wall = 0;
  Duration passed = 0;  // Since the last move, or the opening, by the monotonic clock.
  // The newest timestamp that arrived since then. One that was more than a day ahead of the wall
  // clock as it arrived does not count.
  std::optional<Timestamp> newest{};
};

// Where it starts in a database that has samples, the newest of them at `stored`: the earliest of
// what the clocks say. None: not yet, as nothing has borne out the wall clock, and clients have not
// had an hour to do so.
std::optional<Timestamp> startRetentionClock(Timestamp stored, const ClockReadings& readings,
                                             TimestampUnit unit);
Timestamp moveRetentionClock(Timestamp clock, const ClockReadings& readings, TimestampUnit unit);
// Whether it is to fall, for which nobody need wait.
bool isRetentionAhead(Timestamp clock, const ClockReadings& readings, TimestampUnit unit);
// Whether one lies so far behind the other that an operator should hear of it.
bool isRetentionJump(Timestamp from, Timestamp to, TimestampUnit unit);

}  // namespace seriesdb
