#include "storage/ledger/descriptor_leaves.h"

#include <optional>
#include <utility>

#include "common/digest/hash.h"
#include "storage/ledger/state_tree.h"

namespace seriesdb {
namespace {

// Part of the disk format, as are leaf numbers.
constexpr std::uint64_t kDescriptorBuckets = 4096;
// The sizes of a key and of a value, as varints.
constexpr std::size_t kEntryOverhead = 10;

struct PlacedEntry {
  std::string value;
  std::optional<std::uint64_t> leaf;  // The leaf that has it in the tree; null if none has.
};
using BucketEntries = std::map<std::string, PlacedEntry>;

LeafPlace placeOf(std::uint64_t leaf) {
  return {static_cast<std::uint8_t>(TreeSectionId::kDescriptors), leaf};
}

// Adds the entries of a leaf to those of its bucket. If an older program left an entry twice, one
// copy is erased.
void takeLeaf(LeafEntries found, std::uint64_t leaf, BucketEntries& entries, TreeEdit& edit) {
  for (auto& [key, value] : found) {
    const auto [at, isNew] = entries.try_emplace(key);
    PlacedEntry& entry = at->second;
    if (isNew) {
      entry = {std::move(value), leaf};
    } else if (!entry.leaf && entry.value == value) {
      entry.leaf = leaf;
    } else {
      edit.erase(placeOf(leaf), key);
    }
  }
}

void cutIntoLeaves(BucketEntries entries, std::uint64_t bucket, TreeEdit& edit) {
  std::uint64_t leaf = bucket;
  std::size_t bytes = 0;
  for (auto& [key, entry] : entries) {
    const std::size_t size = key.size() + entry.value.size() + kEntryOverhead;
    if (bytes > 0 && bytes + size > kDescriptorLeafBytes) {
      leaf += kDescriptorBuckets;
      bytes = 0;
    }
    bytes += size;
    if (entry.leaf == leaf) continue;
    if (entry.leaf) edit.erase(placeOf(*entry.leaf), key);
    edit.put(placeOf(leaf), key, std::move(entry.value));
  }
}

void addPart(LeafEntries& entries, char part, std::string_view metric,
             const std::optional<std::string>& text) {
  if (text) entries.insert_or_assign(std::string(1, part).append(metric), *text);
}

}  // namespace

void DescriptorLeaves::put(std::string_view metric, const Descriptor& descriptor) {
  LeafEntries& entries = added_[xxh64(asBytes(metric)) % kDescriptorBuckets];
  addPart(entries, 'k', metric, descriptor.kind);
  addPart(entries, 'u', metric, descriptor.unit);
  addPart(entries, 'd', metric, descriptor.description);
}

Status DescriptorLeaves::moveInto(TreeEdit& edit, const ObjectTree& tree,
                                  const ObjectReader& objects) {
  for (auto& [bucket, added] : std::exchange(added_, {})) {
    BucketEntries entries;
    for (auto& [key, value] : added) entries[key].value = std::move(value);
    for (std::uint64_t leaf = bucket;; leaf += kDescriptorBuckets) {
      auto found = tree.leafAt(placeOf(leaf), objects);
      if (!found.ok()) return found.status();
      if (found.value().empty()) break;
      takeLeaf(std::move(found).value(), leaf, entries, edit);
    }
    cutIntoLeaves(std::move(entries), bucket, edit);
  }
  return {};
}

}  // namespace seriesdb
