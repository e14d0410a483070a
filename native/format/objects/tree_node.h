// The bytes of a tree's root, inner nodes and leaves. See docs/format/objects.md.
//
// Invariant: a parse function returns the value that its append function wrote, and refuses any
// other bytes. So equal trees have equal hashes.
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

// A node has 64 children: six bits of the leaf number for each level.
inline constexpr unsigned kTreeLevelBits = 6;
// The number of levels above the leaves that the highest leaf number needs.
inline constexpr std::uint8_t kTreeHeightMax = 11;

struct TreeSection {
  std::uint8_t section;  // Ascends through a root. ledger/state_tree.h lists the sections.
  std::uint8_t height;   // The level of the top node, up to kTreeHeightMax; 0: it is a leaf.
  Sha256 top;

  bool operator==(const TreeSection&) const = default;
};
struct TreeChild {
  std::uint8_t place;  // The child's index in its node, below 64; ascends.
  Sha256 node;

  bool operator==(const TreeChild&) const = default;
};
using LeafEntries = std::map<std::string, std::string>;

// All lists ascend; a node or leaf is not empty.
void appendTreeRoot(ByteBuffer& out, const std::vector<TreeSection>& sections);
void appendTreeNode(ByteBuffer& out, std::uint8_t level, const std::vector<TreeChild>& children);
void appendTreeLeaf(ByteBuffer& out, const LeafEntries& entries);

// kStorageCorrupt for bytes that the append function cannot have written.
Result<std::vector<TreeSection>> parseTreeRoot(Bytes bytes);
Result<std::vector<TreeChild>> parseTreeNode(Bytes bytes, std::uint8_t level);
Result<LeafEntries> parseTreeLeaf(Bytes bytes);
// The same, as views into the bytes.
using LeafViews = std::vector<std::pair<std::string_view, std::string_view>>;
Result<LeafViews> viewTreeLeaf(Bytes bytes);

}  // namespace seriesdb
