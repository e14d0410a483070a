// Publishes an edit of MANIFEST to readers, in one step.
#pragma once

#include <memory>
#include <vector>

#include "storage/ledger/manifest_holder.h"
#include "storage/state/health.h"
#include "storage/state/sources.h"

namespace seriesdb {

struct SegmentChange {
  std::vector<std::shared_ptr<const Segment>> added;
  std::vector<std::uint64_t> removed;  // Segment numbers.
  // True if `added` replaces the oldest frozen memtable.
  bool isFlush = false;
};

// Also drops tombstones that no longer mask anything. REQUIRES: MANIFEST is held, and `recorded` is
// its state after the change.
void publish(Sources& sources, const ManifestState& recorded, SegmentChange change);

// Writes the edit, and reports the result in the health of the database.
Status recordEdit(Health& health, const ManifestHolder::Held& manifest, ManifestEdit edit,
                  Descriptors descriptors = {});

// The final failure of MANIFEST, if any; a merge is useless then.
Status checkWritable(ManifestHolder& manifestHolder);

// Reports the ledger's state after a change other than an edit.
void reportLedger(Health& health, const ManifestHolder::Held& manifest);

// The order of segments in a view and in MANIFEST: the samples of a later one win.
bool isBefore(const SegmentFacts& a, const SegmentFacts& b);

}  // namespace seriesdb
