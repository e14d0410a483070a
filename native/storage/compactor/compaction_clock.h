// The clock of compaction.
#pragma once

#include "storage/ledger/manifest_holder.h"
#include "storage/state/engine_options.h"

namespace seriesdb {

// The versions of the codec sets for chunks written today. A new set raises these numbers, and a
// final segment of a lower one is rewritten. Earlier finals have 1, too.
inline constexpr std::uint32_t kCodecsOfTiers = 1;
inline constexpr std::uint32_t kCodecsOfFinals = 2;

// The wall clock in the database's unit.
Timestamp wallOf(const EngineOptions& options);
// The wall clock, but at most a day after the newest sample, so that a clock far ahead closes
// nothing early.
Timestamp presentOf(const EngineOptions& options, Timestamp newest);
// Converts milliseconds to the database's unit.
Duration durationOfMs(std::uint64_t ms, TimestampUnit unit);
// The newest timestamp in any segment.
Timestamp newestOf(const ManifestState& manifest);

}  // namespace seriesdb
