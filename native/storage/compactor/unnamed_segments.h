// Segment files that MANIFEST does not name.
//
// An unfinished flush leaves such files; the WAL still holds all their records. A compaction leaves
// its outputs before its edit, and its inputs after it; all their records are in named files. Any
// other whole file is data, and MANIFEST does not belong to it: then nothing may be removed. If a
// named file is missing, a file whose number MANIFEST has not yet given out is data, too. A later
// MANIFEST may have named it instead.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "format/segment/segment.h"
#include "storage/ledger/manifest_holder.h"
#include "storage/state/engine_settings.h"
#include "storage/state/health.h"
#include "storage/view/view.h"

namespace seriesdb {

// The path of a file named by its hash; empty if there is none.
std::string firstObject(const EngineSettings& settings);
// The name of a whole unnamed file; empty if there is none.
std::string findUnnamedSegment(const EngineSettings& settings, ManifestHolder& manifestHolder);
// kStorageCorrupt, naming the deciding description, if a file is no leftover. REQUIRES: the WAL was
// replayed, and `nextSequence` follows its last record.
Status checkUnnamedSegments(const EngineSettings& settings, const ViewHolder& viewHolder,
                            ManifestHolder& manifestHolder, std::uint64_t nextSequence);
// Removes nothing while a named segment is damaged: leftovers of a compaction may have its samples.
Status removeUnnamedSegments(const EngineSettings& settings, const ViewHolder& viewHolder,
                             ManifestHolder& manifestHolder, Health& health);
// A file that nothing names: a whole segment, or the file of an unfinished writer.
struct UnnamedFile {
  std::string name;  // Relative to the database's directory.
  bool isWhole;
  SegmentFacts facts;  // For an object: its hash.
};
// All unnamed files, except those kept by snapshots, history and held states. REQUIRES:
// `segmentWriting` is held; otherwise the result may include a segment being written.
Result<std::vector<UnnamedFile>> unnamedFiles(const EngineSettings& settings,
                                              ManifestHolder& manifestHolder);
// True if the file must stay, because it is unknown who may need it.
bool isUnnamedKept(const ViewHolder& viewHolder, ManifestHolder& manifestHolder,
                   const UnnamedFile& file);
// A number above those of all existing files.
std::uint64_t firstFreeSegment(const EngineSettings& settings);

}  // namespace seriesdb
