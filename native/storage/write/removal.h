// Applies a deletion that is in the WAL.
#pragma once

#include <memory>

#include "common/types/tombstone.h"
#include "storage/state/engine_state.h"

namespace seriesdb {

// Erases the samples from the active memtable and masks all other sources with the tombstone, in
// almost no time. Slower work per series, its bounds and the tombstone index, is left to the
// Remover. REQUIRES: the committer's thread, or recovery.
std::shared_ptr<const Tombstone> applyRemoval(EngineState& state, Tombstone tombstone);

// Indexes the tombstones of the view when due. Takes long for very many tombstones, but blocks
// neither readers nor writers of tombstones.
void indexTombstones(EngineState& state);

// Whether a segment of the view may hold samples that the tombstone masks. An unreadable one
// may.
bool masksSegment(const View& view, const Tombstone& tombstone);

// Merges the manifest's tombstones and these `later` ones for its next edit: adjacent times of the
// same series, or equal times of several series, become one tombstone that covers them. `later`
// ascend by sequence.
Tombstones joinTombstones(const ManifestState& recorded, const Tombstones& later);

}  // namespace seriesdb
