#include "format/objects/object_tree.h"

#include <set>
#include <unordered_set>
#include <utility>

#include "format/objects/tree_shape.h"

namespace seriesdb {

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

}  // namespace seriesdb
