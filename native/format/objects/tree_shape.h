// Computes the places of tree nodes and of their children.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "format/objects/object_tree.h"
#include "format/objects/tree_node.h"

namespace seriesdb {

// The lowest level at which a single node covers all leaves up to `lastLeaf`.
inline std::uint8_t heightFor(std::uint64_t lastLeaf) {
  std::uint8_t height = 0;
  for (std::uint64_t above = lastLeaf; above != 0; above >>= kTreeLevelBits) ++height;
  return height;
}

inline NewObject rootObject(const std::vector<TreeSection>& sections) {
  ByteBuffer bytes;
  appendTreeRoot(bytes, sections);
  return makeObject(std::move(bytes));
}

// Appends the children of an inner node; `bytes` are the node's.
inline Status pushChildren(const ObjectTree::NodePlace& place, Bytes bytes,
                           std::vector<std::pair<ObjectTree::NodePlace, Sha256>>& out) {
  const auto children = parseTreeNode(bytes, place.level);
  if (!children.ok()) return children.status();
  for (const TreeChild& child : children.value()) {
    const std::uint64_t number = (place.number << kTreeLevelBits) + child.place;
    if (number >> kTreeLevelBits != place.number) return Status::corrupt("a leaf past the last");
    const auto level = static_cast<std::uint8_t>(place.level - 1);
    out.push_back({{place.section, level, number}, child.node});
  }
  return {};
}

}  // namespace seriesdb
