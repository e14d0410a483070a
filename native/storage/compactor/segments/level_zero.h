// Writes a memtable as one L0 segment, with any times. Compaction distributes it later.
#pragma once

#include <cstdint>
#include <optional>

#include "format/segment/segment.h"
#include "storage/memtable/memtable.h"
#include "storage/state/engine_state.h"

namespace seriesdb {

// Null if the memtable has no visible samples. On failure, an unnamed file may stay; a later call
// with the same number replaces it, or recovery removes it. kExhausted, before writing, if the
// number of segments has reached its limit.
Result<std::optional<SegmentFacts>> writeLevelZero(EngineState& state, const Memtable& memtable,
                                                   std::uint64_t number,
                                                   std::uint64_t sequenceMax);

// Reports a large number of segments in the health, well before flushes are refused.
void reportSegmentCount(EngineState& state);

}  // namespace seriesdb
