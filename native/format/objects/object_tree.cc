#include "format/objects/object_tree.h"

#include <algorithm>
#include <iterator>
#include <set>
#include <unordered_set>
#include <utility>

#include "format/objects/tree_shape.h"

namespace seriesdb {
namespace {

void changeEntries(const TreeEdit::Entries& edit, LeafEntries& entries) {
  for (const auto& [key, value] : edit) {
    if (value) {
      entries[key] = *value;
    } else {
      entries.erase(key);
    }
  }
}

// The numbers of a level's nodes that have a changed node below them.
std::set<std::uint64_t> numbersAbove(std::uint8_t section, std::uint8_t level,
                                     const ObjectTree::Change& change) {
  std::set<std::uint64_t> numbers;
  const auto below = static_cast<std::uint8_t>(level - 1);
  for (auto at = change.nodes.lower_bound({section, below, 0});
       at != change.nodes.end() && at->first.section == section && at->first.level == below; ++at) {
    numbers.insert(at->first.number >> kTreeLevelBits);
  }
  return numbers;
}

}  // namespace

ObjectTree::ObjectTree() : root_(rootObject({}).id) {}

// An object may stand in one place of a tree only, so the number of objects bounds the reading.
Result<ObjectTree> ObjectTree::load(const Sha256& root, const ObjectReader& objects) {
  const auto bytes = objects.read(root);
  if (!bytes.ok()) return bytes.status();
  const auto sections = parseTreeRoot(bytes.value());
  if (!sections.ok()) return sections.status();
  ObjectTree tree;
  tree.root_ = root;
  std::unordered_set<Sha256> seen;
  for (const TreeSection& section : sections.value()) {
    std::vector<std::pair<NodePlace, Sha256>> left{
        {{section.section, section.height, 0}, section.top}};
    while (!left.empty()) {
      const auto [place, hash] = left.back();
      left.pop_back();
      if (!seen.insert(hash).second) return Status::corrupt("a node occurs twice in a tree");
      tree.nodes_.emplace(place, hash);
      if (place.level == 0) continue;
      const auto node = objects.read(hash);
      if (!node.ok()) return node.status();
      if (Status pushed = pushChildren(place, node.value(), left); !pushed.ok()) return pushed;
    }
    const auto last = tree.lastLeaf(section.section, nullptr);
    if (!last || heightFor(*last) != section.height) {
      return Status::corrupt("a tree section is lower than its last leaf needs");
    }
  }
  return tree;
}

Result<std::map<std::string, std::string>> ObjectTree::leafAt(LeafPlace place,
                                                              const ObjectReader& objects) const {
  const auto found = nodes_.find({place.section, 0, place.leaf});
  if (found == nodes_.end()) return LeafEntries();
  const auto bytes = objects.read(found->second);
  if (!bytes.ok()) return bytes.status();
  return parseTreeLeaf(bytes.value());
}

Status ObjectTree::visit(std::uint8_t section, const ObjectReader& objects,
                         const Visit& visit) const {
  for (auto at = nodes_.lower_bound({section, 0, 0});
       at != nodes_.end() && at->first.section == section && at->first.level == 0; ++at) {
    const auto entries = leafAt({section, at->first.number}, objects);
    if (!entries.ok()) return entries.status();
    for (const auto& [key, value] : entries.value()) {
      if (Status visited = visit(key, value); !visited.ok()) return visited;
    }
  }
  return {};
}

std::vector<Sha256> ObjectTree::leaves(std::uint8_t section) const {
  std::vector<Sha256> all;
  for (auto at = nodes_.lower_bound({section, 0, 0});
       at != nodes_.end() && at->first.section == section && at->first.level == 0; ++at) {
    all.push_back(at->second);
  }
  return all;
}

std::vector<LeafPlace> ObjectTree::differingLeaves(const ObjectTree& other) const {
  std::set<LeafPlace> found;
  const auto look = [&found](const ObjectTree& a, const ObjectTree& b) {
    for (const auto& [place, hash] : a.nodes_) {
      if (place.level != 0) continue;
      const auto same = b.nodes_.find(place);
      if (same == b.nodes_.end() || same->second != hash) {
        found.insert({place.section, place.number});
      }
    }
  };
  look(*this, other);
  look(other, *this);
  return {found.begin(), found.end()};
}

std::vector<Sha256> ObjectTree::objects() const {
  std::vector<Sha256> all{root_};
  for (const auto& [place, hash] : nodes_) all.push_back(hash);
  return all;
}

// If `change` is given, the result is for the tree after it.
std::optional<std::uint64_t> ObjectTree::lastLeaf(std::uint8_t section,
                                                  const Change* change) const {
  std::optional<std::uint64_t> last;
  auto at = nodes_.lower_bound({section, 1, 0});
  while (at != nodes_.begin()) {
    const auto& [place, hash] = *--at;
    if (place.section != section || place.level != 0) break;
    if (change != nullptr) {
      const auto changed = change->nodes.find(place);
      if (changed != change->nodes.end() && !changed->second) continue;
    }
    last = place.number;
    break;
  }
  if (change == nullptr) return last;
  auto changed = change->nodes.lower_bound({section, 1, 0});
  while (changed != change->nodes.begin()) {
    const auto& [place, hash] = *--changed;
    if (place.section != section || place.level != 0) break;
    if (!hash) continue;
    return std::max(last.value_or(0), place.number);
  }
  return last;
}

Result<ObjectTree::Change> ObjectTree::prepare(const TreeEdit& edit,
                                               const ObjectReader& objects) const {
  Change change;
  const Status read = prepareLeaves(edit, objects, change);
  if (!read.ok()) return read;
  std::set<std::uint8_t> sections;
  for (const auto& [place, hash] : change.nodes) sections.insert(place.section);
  for (const std::uint8_t section : sections) prepareSection(section, change);
  prepareRoot(change);
  return change;
}

Status ObjectTree::prepareLeaves(const TreeEdit& edit, const ObjectReader& objects,
                                 Change& change) const {
  const auto& leaves = edit.leaves();
  for (const TreeEdit::Filled& filled : edit.filled()) {
    for (std::uint64_t leaf = filled.first; leaf < filled.end; ++leaf) {
      const LeafPlace place{filled.section, leaf};
      const auto changed = leaves.find(place);
      const auto fill = [&](std::uint64_t number, LeafEntries& entries) {
        const bool isFilled = filled.fill(number, entries);
        if (changed != leaves.end()) changeEntries(changed->second, entries);
        return isFilled || changed != leaves.end();
      };
      if (Status done = prepareLeaf(place, fill, objects, change); !done.ok()) return done;
    }
  }
  for (const auto& [place, changed] : leaves) {
    if (change.nodes.contains({place.section, 0, place.leaf})) continue;
    const auto fill = [&entries = changed](std::uint64_t, LeafEntries& to) {
      changeEntries(entries, to);
      return true;
    };
    if (Status done = prepareLeaf(place, fill, objects, change); !done.ok()) return done;
  }
  return {};
}

Status ObjectTree::prepareLeaf(LeafPlace place, const TreeEdit::Fill& fill,
                               const ObjectReader& objects, Change& change) const {
  auto entries = leafAt(place, objects);
  if (!entries.ok()) return entries.status();
  if (!fill(place.leaf, entries.value())) return {};
  auto& node = change.nodes[{place.section, 0, place.leaf}];
  if (entries.value().empty()) return {};
  ByteBuffer bytes;
  appendTreeLeaf(bytes, entries.value());
  change.objects.push_back(makeObject(std::move(bytes)));
  node = change.objects.back().id;
  return {};
}

// Prepares the nodes above the changed leaves, up to the top, which may move up or down.
void ObjectTree::prepareSection(std::uint8_t section, Change& change) const {
  const auto before = lastLeaf(section, nullptr);
  const auto after = lastLeaf(section, &change);
  const std::uint8_t heightBefore = before ? heightFor(*before) : 0;
  const std::uint8_t height = after ? heightFor(*after) : 0;
  for (std::uint8_t level = 1; level <= height; ++level) {
    std::set<std::uint64_t> numbers = numbersAbove(section, level, change);
    if (before && level > heightBefore) numbers.insert(0);
    for (const std::uint64_t number : numbers) prepareNode({section, level, number}, change);
  }
  for (auto at = nodes_.lower_bound({section, static_cast<std::uint8_t>(height + 1), 0});
       at != nodes_.end() && at->first.section == section; ++at) {
    change.nodes[at->first] = std::nullopt;
  }
}

void ObjectTree::prepareNode(NodePlace place, Change& change) const {
  const std::map<std::uint8_t, Sha256> children = childrenAfter(place, change);
  auto& node = change.nodes[place];
  if (children.empty()) return;
  std::vector<TreeChild> all;
  for (const auto& [at, hash] : children) all.push_back({at, hash});
  ByteBuffer bytes;
  appendTreeNode(bytes, place.level, all);
  change.objects.push_back(makeObject(std::move(bytes)));
  node = change.objects.back().id;
}

// The children of a node after the change, by their places in it.
std::map<std::uint8_t, Sha256> ObjectTree::childrenAfter(NodePlace place,
                                                         const Change& change) const {
  const auto below = static_cast<std::uint8_t>(place.level - 1);
  std::map<std::uint8_t, Sha256> children;
  const NodePlace first{place.section, below, place.number << kTreeLevelBits};
  const auto isChild = [&](const NodePlace& one) {
    return one.section == first.section && one.level == below &&
           one.number >> kTreeLevelBits == place.number;
  };
  const auto placeOf = [&](const NodePlace& one) {
    return static_cast<std::uint8_t>(one.number - first.number);
  };
  for (auto at = nodes_.lower_bound(first); at != nodes_.end() && isChild(at->first); ++at) {
    children[placeOf(at->first)] = at->second;
  }
  for (auto at = change.nodes.lower_bound(first); at != change.nodes.end() && isChild(at->first);
       ++at) {
    if (at->second) {
      children[placeOf(at->first)] = *at->second;
    } else {
      children.erase(placeOf(at->first));
    }
  }
  return children;
}

std::set<std::uint8_t> ObjectTree::sectionsWith(const Change& change) const {
  std::set<std::uint8_t> present;
  for (auto at = nodes_.begin(); at != nodes_.end();) {
    present.insert(at->first.section);
    if (at->first.section == UINT8_MAX) break;
    at = nodes_.lower_bound({static_cast<std::uint8_t>(at->first.section + 1), 0, 0});
  }
  for (const auto& [place, hash] : change.nodes) present.insert(place.section);
  return present;
}

void ObjectTree::prepareRoot(Change& change) const {
  std::vector<TreeSection> sections;
  for (const std::uint8_t section : sectionsWith(change)) {
    const auto last = lastLeaf(section, &change);
    if (!last) continue;
    const NodePlace top{section, heightFor(*last), 0};
    const auto changed = change.nodes.find(top);
    const Sha256 hash = changed == change.nodes.end() ? nodes_.at(top) : *changed->second;
    sections.push_back({section, top.level, hash});
  }
  change.objects.push_back(rootObject(sections));
  change.root = change.objects.back().id;
}

void ObjectTree::adopt(const Change& change) {
  for (const auto& [place, hash] : change.nodes) {
    if (hash) {
      nodes_[place] = *hash;
    } else {
      nodes_.erase(place);
    }
  }
  root_ = change.root;
}

std::vector<ObjectTree::Replaced> ObjectTree::replacedBy(const Change& change) const {
  std::vector<Replaced> replaced;
  for (const auto& [place, after] : change.nodes) {
    const auto found = nodes_.find(place);
    const auto before = found == nodes_.end() ? std::nullopt : std::optional(found->second);
    if (before != after) replaced.push_back({place, before, after});
  }
  return replaced;
}

// An object may stand in one place of a tree only, so the number of objects bounds the reading.
class ObjectTree::Mover {
 public:
  Mover(ObjectTree& tree, const ObjectReader& objects) : tree_(tree), objects_(objects) {}

  // Puts the node there, or removes it, together with everything below it.
  Status put(const NodePlace& place, const std::optional<Sha256>& after) {
    const auto found = tree_.nodes_.find(place);
    const auto before = found == tree_.nodes_.end() ? std::nullopt : std::optional(found->second);
    if (before == after) return {};
    if (after && !seen_.insert(*after).second) {
      return Status::corrupt("a node occurs twice in a tree");
    }
    replaced_.push_back({place, before, after});
    if (Status below = putBelow(place, after); !below.ok()) return below;
    if (after) {
      tree_.nodes_[place] = *after;
    } else {
      tree_.nodes_.erase(place);
    }
    return {};
  }
  std::vector<Replaced> take() { return std::move(replaced_); }

 private:
  Status putBelow(const NodePlace& place, const std::optional<Sha256>& after) {
    if (place.level == 0) return {};
    std::map<NodePlace, std::optional<Sha256>> children;
    const auto below = static_cast<std::uint8_t>(place.level - 1);
    const NodePlace first{place.section, below, place.number << kTreeLevelBits};
    for (auto at = tree_.nodes_.lower_bound(first); at != tree_.nodes_.end(); ++at) {
      const NodePlace& one = at->first;
      const bool isChild = one.section == place.section && one.level == below &&
                           one.number >> kTreeLevelBits == place.number;
      if (!isChild) break;
      children[one] = std::nullopt;
    }
    if (after) {
      const auto node = objects_.read(*after);
      if (!node.ok()) return node.status();
      std::vector<std::pair<NodePlace, Sha256>> fresh;
      if (Status read = pushChildren(place, node.value(), fresh); !read.ok()) return read;
      for (const auto& [one, hash] : fresh) children[one] = hash;
    }
    for (const auto& [one, hash] : children) {
      if (Status put = this->put(one, hash); !put.ok()) return put;
    }
    return {};
  }

  ObjectTree& tree_;
  const ObjectReader& objects_;
  std::unordered_set<Sha256> seen_;
  std::vector<Replaced> replaced_;
};

// Compares sections of unchanged height from the top. A height rarely changes, at a factor of 64;
// such a section is removed and added again.
Result<std::vector<ObjectTree::Replaced>> ObjectTree::moveTo(const Sha256& root,
                                                             const ObjectReader& objects) {
  const auto bytes = objects.read(root);
  if (!bytes.ok()) return bytes.status();
  const auto sections = parseTreeRoot(bytes.value());
  if (!sections.ok()) return sections.status();
  std::map<std::uint8_t, const TreeSection*> wanted;
  for (const TreeSection& one : sections.value()) wanted[one.section] = &one;
  std::map<std::uint8_t, std::uint8_t> heights;
  for (auto at = nodes_.begin(); at != nodes_.end();) {
    const std::uint8_t section = at->first.section;
    // The last node of a section is its top.
    at = section == UINT8_MAX ? nodes_.end()
                              : nodes_.lower_bound({static_cast<std::uint8_t>(section + 1), 0, 0});
    heights[section] = std::prev(at)->first.level;
  }
  Mover mover(*this, objects);
  for (const auto& [section, height] : heights) {
    const auto found = wanted.find(section);
    if (found != wanted.end() && found->second->height == height) continue;
    if (Status gone = mover.put({section, height, 0}, std::nullopt); !gone.ok()) return gone;
  }
  for (const auto& [section, one] : wanted) {
    const Status put = mover.put({section, one->height, 0}, one->top);
    if (!put.ok()) return put;
  }
  root_ = root;
  std::map<NodePlace, Replaced> last;
  for (const Replaced& one : mover.take()) {
    last.emplace(one.place, one).first->second.after = one.after;
  }
  std::vector<Replaced> replaced;
  for (const auto& [place, one] : last) {
    if (one.before != one.after) replaced.push_back(one);
  }
  return replaced;
}

}  // namespace seriesdb
