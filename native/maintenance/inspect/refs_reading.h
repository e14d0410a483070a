// What REFS names: each ref with the commit, the tree and the state that it stands for.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "common/base/status.h"
#include "common/file/file_system.h"
#include "format/manifest/manifest.h"
#include "format/objects/commit.h"
#include "format/objects/object_tree.h"
#include "format/objects/refs_log.h"

namespace seriesdb {

struct NamedState {
  RefMove move;
  Commit commit;
  ObjectTree tree;
  ManifestState state;
};
// kStorageCorrupt when an object that it needs is not there or damaged.
Result<NamedState> readNamed(const RefMove& move, const ObjectReader& objects);

struct RefsReading {
  std::unique_ptr<RefsLog> log;
  std::vector<NamedState> states;  // By the names of the refs.
};
// Without the file it names nothing. kStorageCorrupt names it.
Result<RefsReading> readRefs(FileSystem& fs, const std::string& directory);

// Which snapshots need a segment, as far as they can be read.
struct KeptSegment {
  SegmentFacts facts;
  std::set<std::string> snapshots;

  std::string sentence() const;
};
// By their numbers.
std::map<std::uint64_t, KeptSegment> segmentsOfSnapshots(FileSystem& fs,
                                                         const std::string& directory);

// Those of REFS, and of tags that REFS does not have yet, as far as they can be read.
std::vector<NamedState> readableStates(FileSystem& fs, const std::string& directory);

}  // namespace seriesdb
