// The bytes of a tree's root, of its inner nodes and of its leaves. See docs/format/objects.md.
//
// Invariant: what an append function writes its parse function returns, and refuses other bytes, so
// that equal trees have equal hashes.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "common/base/bytes.h"
#include "common/base/status.h"
#include "common/digest/sha256.h"

namespace seriesdb {

// Children of a node: 64, six bits of a leaf's number a level.
inline constexpr unsigned kTreeLevelBits = 6;
// As many levels above the leaves as the highest number can need.
inline constexpr std::uint8_t kTreeHeightMax = 11;

struct TreeSection {
  std::uint8_t section;  // Ascends through a root. Which there are, ledger/state_tree.h says.
  std::uint8_t height;   // Of the top node, up to kTreeHeightMax; 0: it is a leaf.
  Sha256 top;

  bool operator==(const TreeSection&) const = default;
};
struct TreeChild {
  std::uint8_t place;  // Below 64, the children of a node; ascends through it.
  Sha256 node;

  bool operator==(const TreeChild&) const = default;
};
using LeafEntries = std::map<std::string, std::string>;

// All lists ascend; those of nodes and leaves are not empty.
void appendTreeRoot(ByteBuffer& out, const std::vector<TreeSection>& sections);
void appendTreeNode(ByteBuffer& out, std::uint8_t level, const std::vector<TreeChild>& children);
void appendTreeLeaf(ByteBuffer& out, const LeafEntries& entries);

// kStorageCorrupt for bytes that the function above cannot have written.
Result<std::vector<TreeSection>> parseTreeRoot(Bytes bytes);
Result<std::vector<TreeChild>> parseTreeNode(Bytes bytes, std::uint8_t level);
Result<LeafEntries> parseTreeLeaf(Bytes bytes);
// The same, as views into the bytes.
using LeafViews = std::vector<std::pair<std::string_view, std::string_view>>;
Result<LeafViews> viewTreeLeaf(Bytes bytes);

}  // namespace seriesdb
