// Prepares and applies changes of a tree.
#include <algorithm>
#include <set>
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

}  // namespace seriesdb
