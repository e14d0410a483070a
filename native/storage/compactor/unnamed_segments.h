// Segment files that MANIFEST does not name.
//
// A flush that did not finish leaves such files: the log still holds every record in them. So does
// a compaction, before its edit what it wrote, behind it what it read: all their records are in
// files that are named. Any other whole one is data, and MANIFEST is not the one that was written
// beside it; then nothing may be removed. Where a named file is missing, that is so for one whose
// number MANIFEST has not given out, too: a later MANIFEST may have named it in its place.
#pragma once

#include <string>
#include <vector>

#include "storage/state/engine_state.h"

namespace seriesdb {

// The path of a file that is named by its hash; empty when there is none.
std::string firstObject(EngineState& state);
// The name of one that is whole; empty when there is none.
std::string findUnnamedSegment(EngineState& state);
// kStorageCorrupt, naming MANIFEST, when one is no leftover. To be asked when the log was replayed.
Status checkUnnamedSegments(EngineState& state);
// Unless one that is named is damaged: what compaction left may have the same samples.
Status removeUnnamedSegments(EngineState& state);
// A file that nothing names: of a segment that is whole, or of an unfinished writer.
struct UnnamedFile {
  std::string name;  // From the directory of the database on.
  bool isWhole;
  SegmentFacts facts;  // The hash of an object.
};
// Those that are there now, what snapshots, history and states that are held keep not among them.
// REQUIRES: `segmentWriting` is held, or they may be of a segment that is being written.
Result<std::vector<UnnamedFile>> unnamedFiles(EngineState& state);
// Whether none of them may be removed, because nobody knows what it may be needed for.
bool isUnnamedKept(EngineState& state, const UnnamedFile& file);
// Above the numbers of all files that are there.
std::uint64_t firstFreeSegment(EngineState& state);

}  // namespace seriesdb
