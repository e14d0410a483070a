// What an edit of MANIFEST changed becomes what is read, in one step for readers.
#pragma once

#include <memory>
#include <vector>

#include "storage/state/engine_state.h"

namespace seriesdb {

struct SegmentChange {
  std::vector<std::shared_ptr<const Segment>> added;
  std::vector<std::uint64_t> removed;  // Numbers.
  // They are the samples of the oldest frozen memtable, which goes.
  bool isFlush = false;
};

// Tombstones that mask nothing any more go, too. REQUIRES: MANIFEST is held, and says `recorded`
// since it was given the change.
void publish(EngineState& state, const ManifestState& recorded, SegmentChange change);

// Writes the edit, and says what came of it to who asks for the health of the database.
Status recordEdit(EngineState& state, const ManifestHolder::Held& manifest,
                  ManifestEdit edit, Descriptors descriptors = {});

// Says what a change of a description came to, for who changed it otherwise.
void reportLedger(EngineState& state, const ManifestHolder::Held& manifest);

// Of the segments of a view, or those of MANIFEST: the samples of a later one win.
bool isBefore(const SegmentFacts& a, const SegmentFacts& b);

}  // namespace seriesdb
