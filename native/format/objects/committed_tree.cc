#include "format/objects/committed_tree.h"

#include <utility>

namespace seriesdb {

Result<CommittedTree> loadCommit(const Sha256& commit, const ObjectReader& objects) {
  const auto bytes = objects.read(commit);
  if (!bytes.ok()) return bytes.status();
  const auto parsed = parseCommit(bytes.value());
  if (!parsed.ok()) return parsed.status();
  auto tree = ObjectTree::load(parsed.value().root, objects);
  if (!tree.ok()) return tree.status();
  return CommittedTree{parsed.value(), std::move(tree).value()};
}

}  // namespace seriesdb
