// The head of the content-addressed description: the last commit, and REFS, which has it.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "format/objects/commit.h"
#include "format/objects/object_tree.h"
#include "format/objects/refs_log.h"

namespace seriesdb {

struct CommittedHead {
  bool exists() const { return id != Sha256{}; }

  std::unique_ptr<RefsLog> refs;
  Sha256 id;        // The head in REFS; zeros if there is none.
  Commit commit;    // The open state's: the head's, or the chosen past one's.
  ObjectTree tree;  // The tree of the ledger's state, if commits are written.
  bool isTreeLost = false;  // The next commit rebuilds the tree from the state.
  bool isBehind = false;    // REFS lacks the last edit.
  std::string problem;      // Why, or why REFS is damaged.
};

// All objects of a commit.
inline std::vector<Sha256> objectsOf(const ObjectTree& tree, const Sha256& commit) {
  std::vector<Sha256> all = tree.objects();
  all.push_back(commit);
  return all;
}

}  // namespace seriesdb
