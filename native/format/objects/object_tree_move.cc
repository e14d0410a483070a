// Moves a tree to another root.
#include <iterator>
#include <unordered_set>
#include <utility>

#include "format/objects/tree_shape.h"

namespace seriesdb {

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
