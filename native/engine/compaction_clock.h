// The present as compaction takes it.
#pragma once

#include "engine/engine_state.h"

namespace seriesdb {

// What a chunk written today chose its codecs from. It grows when there are more.
inline constexpr std::uint32_t kCodecsOfToday = 1;

// The wall clock in the database's unit.
Timestamp wallOf(const EngineState& state);
// The same, but at most a day after the newest sample, so that a clock which runs away closes
// nothing early.
Timestamp presentOf(const EngineState& state, Timestamp newest);
// The newest timestamp in segments.
Timestamp newestOf(const ManifestState& manifest);

}  // namespace seriesdb
