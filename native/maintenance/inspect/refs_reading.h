// Reads REFS: each ref with its commit, tree and state.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "common/base/status.h"
#include "common/file/file_system.h"
#include "format/manifest/manifest.h"
#include "format/objects/commit.h"
#include "format/objects/object_tree.h"
#include "format/objects/refs_log.h"
#include "maintenance/inspect/kept_segment.h"

namespace seriesdb {

struct NamedState {
  RefMove move;
  Commit commit;
  ObjectTree tree;
  ManifestState state;
};
// kStorageCorrupt if a needed object is missing or damaged.
Result<NamedState> readNamed(const RefMove& move, const ObjectReader& objects);

struct RefsReading {
  std::unique_ptr<RefsLog> log;
  std::vector<NamedState> states;  // Ordered by ref name.
};
// A missing file names nothing. kStorageCorrupt names the file.
Result<RefsReading> readRefs(FileSystem& fs, const std::string& directory);

// By segment number.
std::map<std::uint64_t, KeptSegment> segmentsOfSnapshots(FileSystem& fs,
                                                         const std::string& directory);

// The readable states of REFS, and of loose tags that REFS does not have yet.
std::vector<NamedState> readableStates(FileSystem& fs, const std::string& directory);

}  // namespace seriesdb
