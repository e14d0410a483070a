// Finds the series of a deletion, and applies a deletion that is in the WAL.
#pragma once

#include <memory>

#include "common/types/tombstone.h"
#include "storage/ledger/manifest_holder.h"
#include "storage/state/sources.h"
#include "storage/state/write_path.h"

namespace seriesdb {

struct RemovalWrite;

// Looks up the series that the deletion names by their ids, and encodes it. An unknown id is
// skipped.
void findSeries(const IndexHolder& indexes, RemovalWrite& removal);

// Erases the samples from the active memtable and masks all other sources with the tombstone, in
// almost no time. The Remover does the slower work per series: bounds and the tombstone index.
// REQUIRES: the committer's thread, or recovery.
std::shared_ptr<const Tombstone> applyRemoval(ViewHolder& viewHolder, WritePath& writes,
                                              Tombstone tombstone);

// Indexes the tombstones of the view when due. Takes long for very many tombstones, but blocks
// neither readers nor writers of tombstones.
void indexTombstones(Sources& sources);

// True if a segment of the view may hold samples that the tombstone masks; an unreadable segment
// always may.
bool masksSegment(const View& view, const Tombstone& tombstone);

// Joins `later` with the manifest's tombstones for the next edit. Adjacent times of the same
// series, or equal times of several series, become one tombstone that covers the others. REQUIRES:
// `later` ascends by sequence.
Tombstones joinTombstones(const ManifestState& recorded, const Tombstones& later);

}  // namespace seriesdb
