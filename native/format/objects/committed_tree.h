// A commit together with its tree.
#pragma once

#include "common/base/status.h"
#include "common/digest/sha256.h"
#include "format/objects/commit.h"
#include "format/objects/object_tree.h"

namespace seriesdb {

struct CommittedTree {
  Commit commit;
  ObjectTree tree;
};
// kStorageCorrupt if an object is missing or damaged. Leaves are not read.
Result<CommittedTree> loadCommit(const Sha256& commit, const ObjectReader& objects);

}  // namespace seriesdb
