// Writes a memtable as one L0 segment, with any times. Compaction distributes it later.
#pragma once

#include <cstdint>
#include <optional>

#include "format/segment/segment.h"
#include "storage/ledger/manifest_holder.h"
#include "storage/memtable/memtable.h"
#include "storage/state/engine_settings.h"
#include "storage/state/health.h"

namespace seriesdb {

// Null if the memtable has no visible samples. On failure, an unnamed file may stay; a later call
// with the same number replaces it, or recovery removes it. kExhausted, before writing, if the
// number of segments has reached its limit.
Result<std::optional<SegmentFacts>> writeLevelZero(const EngineSettings& settings,
                                                   ManifestHolder& manifestHolder,
                                                   const Memtable& memtable, std::uint64_t number,
                                                   std::uint64_t sequenceMax);

// Reports a large number of segments in the health, well before flushes are refused.
// `countMax` is EngineOptions::segmentCountMax.
void reportSegmentCount(ManifestHolder& manifestHolder, std::uint64_t countMax, Health& health);

}  // namespace seriesdb
