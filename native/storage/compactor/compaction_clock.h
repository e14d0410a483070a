// The present as compaction takes it.
#pragma once

#include "storage/state/engine_state.h"

namespace seriesdb {

// What the chunks of a segment written today chose their codecs from. These numbers grow when there
// are more; a final segment of a lower one is written again. 1 was that of finals, too.
inline constexpr std::uint32_t kCodecsOfTiers = 1;
inline constexpr std::uint32_t kCodecsOfFinals = 2;

// The wall clock in the database's unit.
Timestamp wallOf(const EngineState& state);
// The same, but at most a day after the newest sample, so that a clock which runs away closes
// nothing early.
Timestamp presentOf(const EngineState& state, Timestamp newest);
// Milliseconds in the database's unit.
Duration durationOfMs(std::uint64_t ms, TimestampUnit unit);
// The newest timestamp in segments.
Timestamp newestOf(const ManifestState& manifest);

}  // namespace seriesdb
