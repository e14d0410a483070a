#include "storage/ledger/state_tree.h"

#include <algorithm>
#include <map>
#include <utility>

#include "format/annotation/annotation.h"
#include "format/log/log_file.h"
#include "format/manifest/manifest_edit.h"
#include "format/manifest/manifest_record.h"
#include "format/manifest/segment_record.h"
#include "format/objects/tree_node.h"
#include "index/catalog/catalog_codec.h"
#include "storage/ledger/state_entries.h"

namespace seriesdb {
namespace {

// Entries per leaf; a change of an entry rewrites its whole leaf.
constexpr std::uint64_t kSegmentsOfLeaf = 64;
constexpr std::uint64_t kAnnotationsOfLeaf = 64;

LeafPlace leafOf(TreeSectionId section, std::uint64_t leaf) {
  return {static_cast<std::uint8_t>(section), leaf};
}

std::string textOf(const ByteBuffer& bytes) { return std::string(asText(bytes)); }

std::string numberValue(std::uint64_t number) {
  ByteBuffer bytes;
  appendVarint(bytes, number);
  return textOf(bytes);
}

std::string valueOf(const SegmentFacts& facts) {
  ByteBuffer bytes;
  appendSegmentFacts(bytes, facts);
  return textOf(bytes);
}

// REQUIRES: both lists ascend by `numberOf`.
template <typename List, typename NumberOf, typename Put, typename Erase>
void visitChanged(const List& from, const List& to, const NumberOf& numberOf, const Put& put,
                  const Erase& erase) {
  auto before = from.begin();
  for (const auto& one : to) {
    while (before != from.end() && numberOf(*before) < numberOf(one)) erase(*before++);
    const bool isSame = before != from.end() && *before == one;
    if (before != from.end() && numberOf(*before) == numberOf(one)) ++before;
    if (!isSame) put(one);
  }
  while (before != from.end()) erase(*before++);
}

void addSegments(const ManifestState& from, const ManifestState& to, TreeEdit& edit) {
  const auto leaf = [](const SegmentFacts& one) {
    return leafOf(TreeSectionId::kSegments, one.number / kSegmentsOfLeaf);
  };
  visitChanged(
      from.segments, to.segments, [](const SegmentFacts& one) { return one.number; },
      [&](const SegmentFacts& one) { edit.put(leaf(one), numberKey(one.number), valueOf(one)); },
      [&](const SegmentFacts& one) { edit.erase(leaf(one), numberKey(one.number)); });
}

// Each tombstone has its own leaf, because one may name millions of series.
void addTombstones(const ManifestState& from, const ManifestState& to, TreeEdit& edit) {
  const auto leaf = [](const auto& one) {
    return leafOf(TreeSectionId::kTombstones, one->sequence);
  };
  visitChanged(
      from.tombstones, to.tombstones, [](const auto& one) { return one->sequence; },
      [&](const auto& one) {
        ByteBuffer bytes;
        encodeTombstone(bytes, *one);
        edit.put(leaf(one), numberKey(one->sequence), textOf(bytes));
      },
      [&](const auto& one) { edit.erase(leaf(one), numberKey(one->sequence)); });
}

using MetaEntries = std::map<std::string, std::string>;

MetaEntries metaOf(const ManifestState& state) {
  MetaEntries entries;
  for (const auto& [name, number] :
       {std::pair{kWalFloorKey, state.walFloor}, std::pair{kFlushedKey, state.flushedSequence},
        std::pair{kAnnotationsKey, state.annotationCount},
        std::pair{kSeriesKey, state.seriesCount},
        std::pair{kNextSegmentKey, state.nextSegment}}) {
    entries[std::string(name)] = numberValue(number);
  }
  if (state.retentionClock) {
    entries[std::string(kRetentionClockKey)] = numberValue(zigzag(*state.retentionClock));
  }
  if (state.retentionMark != 0) {
    entries[std::string(kRetentionMarkKey)] = numberValue(state.retentionMark);
  }
  for (const CompactionClass& one : state.classes) {
    ByteBuffer bytes;
    appendCompactionClass(bytes, one);
    entries[std::string(kClassPrefix) + numberKey(one.number)] = textOf(bytes);
  }
  return entries;
}

void addMeta(const ManifestState& from, const ManifestState& to, TreeEdit& edit) {
  const LeafPlace leaf = leafOf(TreeSectionId::kMeta, 0);
  MetaEntries entries = metaOf(to);
  for (const auto& [key, value] : metaOf(from)) {
    if (!entries.contains(key)) edit.erase(leaf, key);
  }
  for (auto& [key, value] : entries) edit.put(leaf, key, std::move(value));
}

// Adds the existing series with refs from `first` up to `end`, exclusive.
void addSeries(std::uint64_t first, std::uint64_t end, const IndexHolder& holder, TreeEdit& edit) {
  if (first >= end) return;
  const auto fill = [=, index = holder.current()](std::uint64_t leaf, LeafEntries& entries) {
    const std::uint64_t from = std::max(first, leaf * kSeriesOfLeaf);
    const std::uint64_t to = std::min(end, (leaf + 1) * kSeriesOfLeaf);
    bool isAny = false;
    for (std::uint64_t number = from; number < to; ++number) {
      const auto ref = static_cast<SeriesRef>(number);
      if (!index->has(ref)) continue;
      ByteBuffer bytes;
      encodeSeriesDefinition(bytes, index->definition(ref));
      entries[numberKey(ref)] = textOf(bytes);
      isAny = true;
    }
    return isAny;
  };
  edit.fill({static_cast<std::uint8_t>(TreeSectionId::kSeries), first / kSeriesOfLeaf,
             (end - 1) / kSeriesOfLeaf + 1, fill});
}

}  // namespace

TreeEdit manifestChange(const ManifestState& from, const ManifestState& to) {
  TreeEdit edit;
  addSegments(from, to, edit);
  addTombstones(from, to, edit);
  addMeta(from, to, edit);
  return edit;
}

TreeEdit changeOf(const ManifestState& from, const ManifestState& to,
                  const StateSources& sources) {
  TreeEdit edit = manifestChange(from, to);
  addSeries(from.seriesCount, to.seriesCount, sources.index, edit);
  for (std::uint64_t id = from.annotationCount + 1; id <= to.annotationCount; ++id) {
    ByteBuffer bytes;
    encodeAnnotation(bytes, sources.annotations.at(id));
    edit.put(leafOf(TreeSectionId::kAnnotations, id / kAnnotationsOfLeaf), numberKey(id),
             textOf(bytes));
  }
  return edit;
}

void forgetSeries(TreeEdit& edit, std::span<const SeriesRef> refs) {
  for (const SeriesRef ref : refs) {
    edit.erase(leafOf(TreeSectionId::kSeries, ref / kSeriesOfLeaf), numberKey(ref));
  }
}

}  // namespace seriesdb
