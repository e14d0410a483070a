// Writes a memtable as one segment, of any times: compaction parts it later.
#pragma once

#include <cstdint>
#include <optional>

#include "format/segment/segment.h"
#include "storage/memtable/memtable.h"
#include "storage/state/engine_state.h"

namespace seriesdb {

// None: the memtable shows no samples. On failure a file may stay behind, unnamed by any manifest,
// which a later call with that number replaces, or else recovery removes. kExhausted, before it is
// written, when there are as many segments as the options allow.
Result<std::optional<SegmentFacts>> writeLevelZero(EngineState& state, const Memtable& memtable,
                                                   std::uint64_t number,
                                                   std::uint64_t sequenceMax);

// Says in the health, well before flushes are refused, that there are many segments.
void reportSegmentCount(EngineState& state);

}  // namespace seriesdb
