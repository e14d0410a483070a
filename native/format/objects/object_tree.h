// A sorted map stored as objects: sections, each a tree over leaf numbers with 64 children a node.
// A section's height follows from its highest leaf number.
//
// The shape depends on the content only, not on its history. So equal content has equal hashes, and
// a change rewrites one leaf and the nodes above it. The hashes of all nodes stay in memory, 80
// bytes each; leaves are read when needed.
#pragma once

#include <compare>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/status.h"
#include "common/digest/sha256.h"
#include "format/objects/object.h"

namespace seriesdb {

struct LeafPlace {
  std::uint8_t section;  // As in TreeSection.
  std::uint64_t leaf;    // The leaf's number in the section; any value.

  auto operator<=>(const LeafPlace&) const = default;
};

// Changes of entries: each gets a new value or is erased.
class TreeEdit {
 public:
  using Entries = std::map<std::string, std::optional<std::string>>;
  // Changes the entries of a leaf; returns false if it left them unchanged.
  using Fill = std::function<bool(std::uint64_t leaf, std::map<std::string, std::string>&)>;
  // Leaves [first, end) of a section, which prepare() fills one by one: all entries at once could
  // take 250 MB for a million series. Other changes of such a leaf are applied after the fill.
  struct Filled {
    std::uint8_t section;
    std::uint64_t first;
    std::uint64_t end;
    Fill fill;
  };

  void put(LeafPlace place, std::string key, std::string value) {
    leaves_[place][std::move(key)] = std::move(value);
  }
  void erase(LeafPlace place, std::string key) { leaves_[place][std::move(key)] = std::nullopt; }
  void fill(Filled leaves) { filled_.push_back(std::move(leaves)); }
  const std::map<LeafPlace, Entries>& leaves() const { return leaves_; }
  const std::vector<Filled>& filled() const { return filled_; }

 private:
  std::map<LeafPlace, Entries> leaves_;
  std::vector<Filled> filled_;
};

// Not thread-safe. Keys of different leaves differ, so no two nodes are the same object.
class ObjectTree {
 public:
  struct NodePlace {
    std::uint8_t section;  // As in TreeSection.
    std::uint8_t level;    // 0: a leaf; up to kTreeHeightMax.
    std::uint64_t number;  // The leaf's number, shifted right by six bits for each level.

    auto operator<=>(const NodePlace&) const = default;
  };
  // A node that differs between two trees; nullopt where a tree lacks it.
  struct Replaced {
    NodePlace place;
    std::optional<Sha256> before;
    std::optional<Sha256> after;
  };
  // A prepared change that is not yet applied.
  struct Change {
    std::map<NodePlace, std::optional<Sha256>> nodes;
    Sha256 root;
    NewObjects objects;
  };

  // An empty tree; no store has its root.
  ObjectTree();
  // Loads all node hashes; reads every node except the leaves.
  static Result<ObjectTree> load(const Sha256& root, const ObjectReader& objects);

  const Sha256& root() const { return root_; }
  // True if the tree has this object at that place.
  bool has(NodePlace place, const Sha256& id) const {
    const auto found = nodes_.find(place);
    return found != nodes_.end() && found->second == id;
  }
  // Reads the leaves that change. Fails if reading fails or an object is not a tree node.
  Result<Change> prepare(const TreeEdit& edit, const ObjectReader& objects) const;
  // Applies the change. REQUIRES: this tree prepared it and has not changed since.
  void adopt(const Change& change);
  // The nodes that adopt() would replace.
  std::vector<Replaced> replacedBy(const Change& change) const;
  // Turns this tree into the tree of another root and returns the replaced nodes. Reads the inner
  // nodes that it lacks. After a failure the tree is a mixture of both; discard it.
  Result<std::vector<Replaced>> moveTo(const Sha256& root, const ObjectReader& objects);

  using Visit = std::function<Status(std::string_view key, std::string_view value)>;
  // Visits entries by leaf, then by key, until `visit` returns a failure.
  Status visit(std::uint8_t section, const ObjectReader& objects, const Visit& visit) const;
  // The leaves of a section, in their order.
  std::vector<Sha256> leaves(std::uint8_t section) const;
  // The entries of one leaf; empty if the leaf does not exist.
  Result<std::map<std::string, std::string>> leafAt(LeafPlace place,
                                                    const ObjectReader& objects) const;
  // The leaves that differ between both trees.
  std::vector<LeafPlace> differingLeaves(const ObjectTree& other) const;
  // The map takes four words for each node.
  std::uint64_t memoryBytes() const {
    return nodes_.size() * (sizeof(std::pair<const NodePlace, Sha256>) + 4 * sizeof(void*));
  }
  // The hashes of all objects of the tree.
  std::vector<Sha256> objects() const;

 private:
  std::optional<std::uint64_t> lastLeaf(std::uint8_t section, const Change* change) const;
  Status prepareLeaves(const TreeEdit& edit, const ObjectReader& objects, Change& change) const;
  Status prepareLeaf(LeafPlace place, const TreeEdit::Fill& fill, const ObjectReader& objects,
                     Change& change) const;
  void prepareSection(std::uint8_t section, Change& change) const;
  void prepareNode(NodePlace place, Change& change) const;
  std::map<std::uint8_t, Sha256> childrenAfter(NodePlace place, const Change& change) const;
  std::set<std::uint8_t> sectionsWith(const Change& change) const;
  void prepareRoot(Change& change) const;
  class Mover;

  std::map<NodePlace, Sha256> nodes_;
  Sha256 root_;
};

}  // namespace seriesdb
