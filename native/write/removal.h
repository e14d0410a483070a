// Carrying out a deletion that is in the log.
#pragma once

#include <memory>

#include "model/tombstone.h"
#include "state/engine_state.h"

namespace seriesdb {

// Takes the samples out of the active memtable and masks all other sources with the tombstone, in
// next to no time: what takes longer with the number of series, their bounds and the index of
// tombstones, is left to the Remover. REQUIRES: the committer's thread, or recovery.
std::shared_ptr<const Tombstone> applyRemoval(EngineState& state, Tombstone tombstone);

// Indexes the tombstones of the view where that is due. Takes long when there are very many of
// them, but keeps nobody waiting who reads, or who adds more.
void indexTombstones(EngineState& state);

// Whether a segment of the view holds anything that the tombstone masks. One that cannot be read
// may.
bool masksSegment(const View& view, const Tombstone& tombstone);

// Fewer tombstones that mask the same as those that the manifest has and these `later` ones, for
// its next edit: what deletes times that touch from the same series, or the same time from several
// series, becomes one, which covers those that it stands for. `later` ascend by sequence.
Tombstones joinTombstones(const ManifestState& recorded, const Tombstones& later);

}  // namespace seriesdb
