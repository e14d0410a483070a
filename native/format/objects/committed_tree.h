// A commit with its tree, as every reader of one begins.
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
// kStorageCorrupt when an object of it is not there or damaged; leaves are not read.
Result<CommittedTree> loadCommit(const Sha256& commit, const ObjectReader& objects);

}  // namespace seriesdb
