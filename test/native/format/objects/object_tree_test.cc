// Trees of objects against plain maps: equal content, equal hashes for any history, costs
// proportional to the change, and foreign bytes refused.
#include "format/objects/object_tree.h"

#include <random>
#include <unordered_map>

#include "format/objects/tree_node.h"
#include "harness.h"

using namespace seriesdb;
using namespace seriesdb::test;

namespace {

class Store final : public ObjectReader {
 public:
  void add(const NewObjects& objects) {
    for (const NewObject& one : objects) all[one.id] = one.bytes;
  }
  Result<ByteBuffer> read(const Sha256& id) const override {
    const auto found = all.find(id);
    if (found == all.end()) return Status::corrupt("no object " + id.text());
    return found->second;
  }

  std::unordered_map<Sha256, ByteBuffer> all;
};

// The expected content of a tree. As in the database, a key determines its leaf.
using Model = std::map<LeafPlace, LeafEntries>;

std::uint64_t randomLeaf(std::mt19937_64& random) {
  switch (random() % 5) {
    case 0:
      return 0;
    case 1:
      return random() % 70;
    case 2:
      return random() % 5000;
    case 3:
      return random() >> (random() % 64);
    default:
      return UINT64_MAX - random() % 3;
  }
}

TreeEdit randomEdit(std::mt19937_64& random, Model& model) {
  TreeEdit edit;
  for (std::uint64_t left = random() % 30; left > 0; --left) {
    LeafPlace place{static_cast<std::uint8_t>(random() % 3 * 127), randomLeaf(random)};
    if (!model.empty() && random() % 2 == 0) {
      place = std::next(model.begin(), static_cast<std::ptrdiff_t>(random() % model.size()))->first;
    }
    const std::string key = std::to_string(place.section) + "/" + std::to_string(place.leaf) + "/" +
                            std::to_string(random() % 4);
    if (random() % 2 == 0) {
      const std::string value = std::to_string(random() % 50);
      edit.put(place, key, value);
      model[place][key] = value;
      continue;
    }
    edit.erase(place, key);
    const auto leaf = model.find(place);
    if (leaf == model.end()) continue;
    leaf->second.erase(key);
    if (leaf->second.empty()) model.erase(leaf);
  }
  return edit;
}

TreeEdit wholeOf(const Model& model) {
  TreeEdit edit;
  for (const auto& [place, entries] : model) {
    for (const auto& [key, value] : entries) edit.put(place, key, value);
  }
  return edit;
}

Model contentOf(const ObjectTree& tree, const Store& store, const Model& places) {
  Model content;
  for (const std::uint8_t section : {0, 127, 254}) {
    LeafEntries all;
    EXPECT(tree.visit(section, store,
                      [&](auto key, auto value) {
                        all[std::string(key)] = value;
                        return Status();
                      })
               .ok());
    for (const auto& [place, entries] : places) {
      if (place.section != section) continue;
      for (const auto& [key, value] : entries) {
        if (all.erase(key) == 1) content[place][key] = value;
      }
    }
    EXPECT(all.empty());
  }
  return content;
}

}  // namespace

TEST("a tree holds what a map holds, and equal content has one hash whatever its edits") {
  std::mt19937_64 random(seed());
  for (int round = 0; round < 30; ++round) {
    Store store;
    ObjectTree tree;
    Model model;
    for (int step = 0; step < 30; ++step) {
      const Model before = model;
      const ObjectTree earlier = tree;
      const auto change = tree.prepare(randomEdit(random, model), store);
      REQUIRE(change.ok());
      store.add(change.value().objects);
      EXPECT(tree.root() == earlier.root());
      tree.adopt(change.value());
      EXPECT(contentOf(tree, store, model) == model);
      const auto whole = ObjectTree().prepare(wholeOf(model), store);
      REQUIRE(whole.ok());
      EXPECT(whole.value().root == tree.root());
      EXPECT((tree.root() == earlier.root()) == (before == model));
      const auto loaded = ObjectTree::load(tree.root(), store);
      if (model.empty()) continue;
      REQUIRE(loaded.ok());
      EXPECT(loaded.value().objects() == tree.objects());
      EXPECT(loaded.value().differingLeaves(tree).empty());
      std::size_t different = 0;
      for (const LeafPlace place : earlier.differingLeaves(tree)) {
        ++different;
        const auto a = before.find(place);
        const auto b = model.find(place);
        EXPECT((a == before.end()) != (b == model.end()) || a->second != b->second);
      }
      std::size_t expected = 0;
      for (const auto& [place, entries] : model) {
        const auto a = before.find(place);
        if (a == before.end() || a->second != entries) ++expected;
      }
      for (const auto& [place, entries] : before) {
        if (!model.contains(place)) ++expected;
      }
      EXPECT(different == expected);
    }
  }
}

TEST("filling leaves in order makes the same tree as adding single entries") {
  std::mt19937_64 random(seed());
  for (int round = 0; round < 50; ++round) {
    Store store;
    ObjectTree tree;
    TreeEdit before;
    for (std::uint64_t leaf = 0; leaf < 8; leaf += 2) before.put({1, leaf}, "old", "x");
    const auto begun = tree.prepare(before, store);
    REQUIRE(begun.ok());
    store.add(begun.value().objects);
    tree.adopt(begun.value());

    const std::uint64_t first = random() % 10;
    const std::uint64_t end = first + random() % 100;
    const std::uint64_t without = random() % 100;  // Nothing is inserted here.
    TreeEdit filled;
    TreeEdit single;
    filled.fill({1, first, end, [&](std::uint64_t leaf, LeafEntries& entries) {
                   if (leaf != without) entries["k" + std::to_string(leaf)] = "v";
                   return leaf != without;
                 }});
    for (std::uint64_t leaf = first; leaf < end; ++leaf) {
      if (leaf != without) single.put({1, leaf}, "k" + std::to_string(leaf), "v");
    }
    for (TreeEdit* edit : {&filled, &single}) {
      edit->put({1, 200}, "other", "y");
      edit->put({1, first}, "k" + std::to_string(first), "later");
      edit->erase({1, 2}, "old");
      edit->erase({1, without}, "old");
    }
    const auto a = tree.prepare(filled, store);
    const auto b = tree.prepare(single, store);
    REQUIRE(a.ok() && b.ok());
    EXPECT(a.value().root == b.value().root);
    EXPECT(a.value().nodes == b.value().nodes);
  }
}

TEST("a change of one entry among 100,000 writes one leaf and the nodes above it") {
  Store store;
  ObjectTree tree;
  TreeEdit all;
  for (std::uint64_t leaf = 0; leaf < 100'000; ++leaf) {
    all.put({1, leaf}, std::to_string(leaf), "value");
  }
  const auto filled = tree.prepare(all, store);
  REQUIRE(filled.ok());
  store.add(filled.value().objects);
  tree.adopt(filled.value());
  TreeEdit one;
  one.put({1, 70'000}, "70000", "other");
  const auto change = tree.prepare(one, store);
  REQUIRE(change.ok());
  // The change writes the leaf, three levels and the root.
  EXPECT(change.value().objects.size() == 5);
  std::size_t bytes = 0;
  for (const NewObject& object : change.value().objects) bytes += object.bytes.size();
  EXPECT(bytes < 7000);
}

TEST("a tree with a damaged or missing object, or a repeated child, is refused") {
  Store store;
  ObjectTree tree;
  TreeEdit edit;
  for (std::uint64_t leaf = 0; leaf < 200; ++leaf) edit.put({1, leaf}, std::to_string(leaf), "v");
  const auto change = tree.prepare(edit, store);
  REQUIRE(change.ok());
  store.add(change.value().objects);
  tree.adopt(change.value());
  const auto isRefused = [&](const Store& with) {
    const auto loaded = ObjectTree::load(tree.root(), with);
    if (!loaded.ok()) return loaded.status().code() == StatusCode::kStorageCorrupt;
    const Status read = loaded.value().visit(1, with, [](auto, auto) { return Status(); });
    return read.code() == StatusCode::kStorageCorrupt;
  };
  EXPECT(!isRefused(store));
  for (const auto& [id, bytes] : store.all) {
    Store without = store;
    without.all.erase(id);
    EXPECT(isRefused(without));
    Store cut = store;
    cut.all[id].pop_back();
    EXPECT(isRefused(cut));
  }
  // A node whose two children are the same.
  Store doubled = store;
  ByteBuffer node;
  appendTreeNode(node, 1, {{0, tree.objects().back()}, {1, tree.objects().back()}});
  NewObject object = makeObject(node);
  ByteBuffer root;
  appendTreeRoot(root, {{1, 1, object.id}});
  NewObject top = makeObject(root);
  doubled.add({object, top});
  EXPECT(!ObjectTree::load(top.id, doubled).ok());
}
