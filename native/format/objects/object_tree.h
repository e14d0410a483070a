// A sorted map as objects: sections, each a tree of 64 children a node over the numbers of its
// leaves, as high as the highest of them needs.
//
// The shape depends on what is in it and not on how it came to be, so that equal content has equal
// hashes, and a change makes one leaf and the nodes above it anew. In memory stand the hashes of
// all nodes, 80 bytes each; what a leaf holds is read when it is needed.
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
  std::uint64_t leaf;    // Its number in the section, any.

  auto operator<=>(const LeafPlace&) const = default;
};

// What becomes of some entries: a value, or nothing.
class TreeEdit {
 public:
  using Entries = std::map<std::string, std::optional<std::string>>;
  // Changes the entries of a leaf; false when it left them as they are.
  using Fill = std::function<bool(std::uint64_t leaf, std::map<std::string, std::string>&)>;
  // Leaves of a section from `first` up to `end`, which are filled one after the other when the
  // edit is worked out: the entries of a million series would take 250 MB. Other changes of such a
  // leaf come behind.
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

// Not thread-safe. Keys of different leaves differ, so that no two nodes are the same object.
class ObjectTree {
 public:
  struct NodePlace {
    std::uint8_t section;  // As in TreeSection.
    std::uint8_t level;    // 0: a leaf; up to kTreeHeightMax.
    std::uint64_t number;  // The leaf's, without six bits for each level.

    auto operator<=>(const NodePlace&) const = default;
  };
  // A node that is not the same in two trees; nothing where one has none there.
  struct Replaced {
    NodePlace place;
    std::optional<Sha256> before;
    std::optional<Sha256> after;
  };
  // A change that is worked out and not made.
  struct Change {
    std::map<NodePlace, std::optional<Sha256>> nodes;
    Sha256 root;
    NewObjects objects;
  };

  // An empty one, whose root no store has.
  ObjectTree();
  // Reads all nodes but the leaves.
  static Result<ObjectTree> load(const Sha256& root, const ObjectReader& objects);

  const Sha256& root() const { return root_; }
  // Whether that node is there and is this object.
  bool has(NodePlace place, const Sha256& id) const {
    const auto found = nodes_.find(place);
    return found != nodes_.end() && found->second == id;
  }
  // Reads the leaves that change. Fails as reading does, or when it meets an object that is none
  // of a tree.
  Result<Change> prepare(const TreeEdit& edit, const ObjectReader& objects) const;
  // REQUIRES: prepared by this tree as it is.
  void adopt(const Change& change);
  // What adopt() would replace.
  std::vector<Replaced> replacedBy(const Change& change) const;
  // Becomes the tree of another root, and says what was replaced. Reads the inner nodes that it has
  // not. After a failure it is neither of the two.
  Result<std::vector<Replaced>> moveTo(const Sha256& root, const ObjectReader& objects);

  using Visit = std::function<Status(std::string_view key, std::string_view value)>;
  // By leaf, then by key, until it returns a failure.
  Status visit(std::uint8_t section, const ObjectReader& objects, const Visit& visit) const;
  // The leaves of a section, in their order.
  std::vector<Sha256> leaves(std::uint8_t section) const;
  // The entries of one leaf; none where there is no such leaf.
  Result<std::map<std::string, std::string>> leafAt(LeafPlace place,
                                                    const ObjectReader& objects) const;
  // Leaves that are not the same in both.
  std::vector<LeafPlace> differingLeaves(const ObjectTree& other) const;
  // Four words of each node are the map's.
  std::uint64_t memoryBytes() const {
    return nodes_.size() * (sizeof(std::pair<const NodePlace, Sha256>) + 4 * sizeof(void*));
  }
  // The hashes of all of its objects.
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
