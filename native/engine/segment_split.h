// Writes one memtable as segments, one for each time partition.
#pragma once

#include <cstdint>
#include <vector>

#include "engine/engine_state.h"
#include "memtable/memtable.h"
#include "segment/segment.h"

namespace seriesdb {

// Segments written at once. When samples lie in more partitions than this (only nonsense timestamps
// do), the partitions with the fewest samples share one segment.
inline constexpr std::size_t kSplitMax = 64;

// Numbers the new segments from `firstNumber`. On failure the files written so far stay behind,
// unnamed by any manifest; recovery removes them. kExhausted, before any is written, when there
// would be more segments than the options allow.
Result<std::vector<SegmentFacts>> writeSegments(EngineState& state, const Memtable& memtable,
                                                std::uint64_t firstNumber,
                                                std::uint64_t sequenceMax);

// Says in the health, well before flushes are refused, that there are many segments.
void reportSegmentCount(EngineState& state);

}  // namespace seriesdb
