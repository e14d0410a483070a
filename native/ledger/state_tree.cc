#include "ledger/state_tree.h"

#include <algorithm>
#include <limits>
#include <map>

#include "annotation/annotation.h"
#include "catalog/catalog_codec.h"
#include "digest/hash.h"
#include "log/log_file.h"
#include "manifest/manifest_edit.h"
#include "manifest/manifest_record.h"
#include "manifest/segment_record.h"
#include "objects/tree_node.h"

namespace seriesdb {
namespace {

// Entries of one leaf, where each change makes all of it anew.
constexpr std::uint64_t kSegmentsOfLeaf = 64;
constexpr std::uint64_t kSeriesOfLeaf = 512;
constexpr std::uint64_t kAnnotationsOfLeaf = 64;
constexpr std::uint64_t kDescriptorLeaves = 4096;

constexpr std::string_view kWalFloorKey = "wal_floor";
constexpr std::string_view kFlushedKey = "flushed_sequence";
constexpr std::string_view kAnnotationsKey = "annotations";
constexpr std::string_view kSeriesKey = "series";
constexpr std::string_view kNextSegmentKey = "next_segment";
constexpr std::string_view kRetentionClockKey = "retention_clock";
constexpr std::string_view kRetentionMarkKey = "retention_mark";
constexpr std::string_view kClassPrefix = "class/";

LeafPlace leafOf(TreeSectionId section, std::uint64_t leaf) {
  return {static_cast<std::uint8_t>(section), leaf};
}

// Big-endian, so that entries stand in the order of their numbers.
std::string numberKey(std::uint64_t number) {
  std::string key(sizeof number, '\0');
  for (std::size_t i = key.size(); i-- > 0; number >>= 8) key[i] = static_cast<char>(number & 0xff);
  return key;
}

std::uint64_t keyNumber(std::string_view key) {
  if (key.size() != sizeof(std::uint64_t)) return 0;
  std::uint64_t number = 0;
  for (const char one : key) number = number << 8 | static_cast<std::uint8_t>(one);
  return number;
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

// Both lists ascend by the number that `numberOf` gives.
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

// Each is a leaf of its own, because one may name millions of series.
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

void addPart(TreeEdit& edit, char part, std::string_view metric,
             const std::optional<std::string>& text) {
  if (!text) return;
  const std::uint64_t leaf = xxh64(asBytes(metric)) % kDescriptorLeaves;
  std::string key(1, part);
  key += metric;
  edit.put(leafOf(TreeSectionId::kDescriptors, leaf), std::move(key), *text);
}

Status malformed(const char* what) {
  return Status::corrupt(std::string("the tree has a malformed ") + what);
}

Status readMeta(std::string_view key, std::string_view value, ManifestRecord& record) {
  ByteReader reader(asBytes(value));
  ManifestEdit& edit = record.edit;
  if (key.starts_with(kClassPrefix)) {
    CompactionClass one;
    if (!readCompactionClass(reader, one) || !reader.atEnd()) return malformed("class");
    edit.classes.push_back(one);
    return {};
  }
  const std::uint64_t number = reader.readVarint();
  if (!reader.ok() || !reader.atEnd()) return malformed("number");
  if (key == kRetentionClockKey) {
    edit.retentionClock = unzigzag(number);
    return {};
  }
  if (key == kRetentionMarkKey) {
    edit.retentionMark = number;
    return {};
  }
  if (number > kSequenceMax) return malformed("number");
  for (const auto& [name, to] :
       {std::pair{kWalFloorKey, &edit.walFloor}, std::pair{kFlushedKey, &edit.flushedSequence},
        std::pair{kAnnotationsKey, &edit.annotationCount},
        std::pair{kSeriesKey, &edit.seriesCount},
        std::pair{kNextSegmentKey, &record.nextSegment}}) {
    if (key != name) continue;
    *to = number;
    return {};
  }
  return malformed("name of a number");
}

Status readSegment(std::string_view key, std::string_view value, ManifestEdit& edit) {
  ByteReader reader(asBytes(value));
  SegmentFacts facts;
  const bool isRead = readSegmentFacts(reader, facts) && reader.atEnd();
  if (!isRead || key != numberKey(facts.number)) return malformed("segment");
  edit.added.push_back(facts);
  return {};
}

Status readTombstone(std::string_view key, std::string_view value, ManifestEdit& edit) {
  ByteReader reader(asBytes(value));
  auto tombstone = decodeTombstone(reader);
  if (!tombstone.ok()) return tombstone.status();
  tombstone.value().sequence = keyNumber(key);
  if (!reader.atEnd() || tombstone.value().sequence > kSequenceMax) return malformed("tombstone");
  edit.tombstones.push_back(std::make_shared<const Tombstone>(std::move(tombstone).value()));
  return {};
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
  const auto index = sources.index.current();
  for (std::uint64_t number = from.seriesCount; number < to.seriesCount; ++number) {
    const auto ref = static_cast<SeriesRef>(number);
    if (!index->has(ref)) continue;
    ByteBuffer bytes;
    encodeSeriesDefinition(bytes, index->definition(ref));
    edit.put(leafOf(TreeSectionId::kSeries, ref / kSeriesOfLeaf), numberKey(ref), textOf(bytes));
  }
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

void putDescriptor(TreeEdit& edit, std::string_view metric, const Descriptor& descriptor) {
  addPart(edit, 'k', metric, descriptor.kind);
  addPart(edit, 'u', metric, descriptor.unit);
  addPart(edit, 'd', metric, descriptor.description);
}

std::pair<std::string_view, char> descriptorKey(std::string_view key) {
  if (key.empty()) return {};
  return {key.substr(1), key.front()};
}

std::uint64_t seriesKey(std::string_view key) { return keyNumber(key); }

Result<ManifestState> stateIn(const ObjectTree& tree, const ObjectReader& objects) {
  ManifestRecord record;
  ManifestEdit& edit = record.edit;
  const auto visit = [&](TreeSectionId section, const ObjectTree::Visit& each) {
    return tree.visit(static_cast<std::uint8_t>(section), objects, each);
  };
  Status read = visit(TreeSectionId::kMeta, [&](auto key, auto value) {
    return readMeta(key, value, record);
  });
  if (!read.ok()) return read;
  read = visit(TreeSectionId::kSegments,
               [&](auto key, auto value) { return readSegment(key, value, edit); });
  if (!read.ok()) return read;
  read = visit(TreeSectionId::kTombstones,
               [&](auto key, auto value) { return readTombstone(key, value, edit); });
  if (!read.ok()) return read;
  ManifestState state;
  const std::size_t tombstones = edit.tombstones.size();
  if (Status made = applyEdit(state, edit); !made.ok()) return malformed("state");
  if (state.tombstones.size() != tombstones || record.nextSegment < state.nextSegment) {
    return malformed("state");
  }
  state.nextSegment = record.nextSegment;
  return state;
}

Result<std::vector<SegmentFacts>> segmentsInLeaf(const Sha256& leaf,
                                                 const ObjectReader& objects) {
  const auto bytes = objects.read(leaf);
  if (!bytes.ok()) return bytes.status();
  const auto entries = parseTreeLeaf(bytes.value());
  if (!entries.ok()) return entries.status();
  ManifestEdit edit;
  for (const auto& [key, value] : entries.value()) {
    if (Status read = readSegment(key, value, edit); !read.ok()) return read;
  }
  return std::move(edit.added);
}

Result<std::vector<SegmentFacts>> segmentsIn(const ObjectTree& tree, const ObjectReader& objects) {
  ManifestEdit edit;
  const Status read =
      tree.visit(static_cast<std::uint8_t>(TreeSectionId::kSegments), objects,
                 [&](auto key, auto value) { return readSegment(key, value, edit); });
  if (!read.ok()) return read;
  return std::move(edit.added);
}

Status restoreIndex(const ObjectTree& tree, const ObjectReader& objects, std::uint64_t seriesCount,
                    SeriesIndex& index) {
  const auto restoreSeries = [&](std::string_view, std::string_view value) -> Status {
    ByteReader reader(asBytes(value));
    const auto definition = decodeSeriesDefinition(reader);
    if (!definition.ok()) return definition.status();
    const SeriesRef ref = definition.value().ref;
    const bool isNext = ref >= index.createdCount() && ref < seriesCount;
    if (!reader.atEnd() || !isNext) return malformed("series");
    const Status skipped = index.skip(ref);
    return skipped.ok() ? index.restore(definition.value()) : skipped;
  };
  Status read =
      tree.visit(static_cast<std::uint8_t>(TreeSectionId::kSeries), objects, restoreSeries);
  if (!read.ok()) return read;
  if (seriesCount > kSeriesRefsMax) return malformed("number of series");
  read = index.skip(static_cast<std::uint32_t>(seriesCount));
  if (!read.ok()) return read;
  const auto restoreDescriptor = [&](std::string_view key, std::string_view value) -> Status {
    if (key.size() < 2) return malformed("descriptor");
    const auto [metric, part] = descriptorKey(key);
    DescriptorView view;
    if (part == 'k') view.kind = value;
    if (part == 'u') view.unit = value;
    if (part == 'd') view.description = value;
    if (view.empty()) return malformed("descriptor");
    return index.mergeDescriptor(metric, view).status();
  };
  return tree.visit(static_cast<std::uint8_t>(TreeSectionId::kDescriptors), objects,
                    restoreDescriptor);
}

Status restoreAnnotations(const ObjectTree& tree, const ObjectReader& objects,
                          AnnotationIndex& annotations) {
  const auto restore = [&](std::string_view, std::string_view value) -> Status {
    ByteReader reader(asBytes(value));
    auto annotation = decodeAnnotation(reader);
    if (!annotation.ok()) return annotation.status();
    if (!reader.atEnd()) return malformed("annotation");
    return annotations.restore(std::move(annotation).value());
  };
  return tree.visit(static_cast<std::uint8_t>(TreeSectionId::kAnnotations), objects, restore);
}

Status visitDifferences(const ObjectTree& a, const ObjectTree& b, const ObjectReader& objects,
                        const std::function<void(LeafPlace place, std::string_view key)>& visit) {
  for (const LeafPlace place : a.differingLeaves(b)) {
    const auto left = a.leafAt(place, objects);
    if (!left.ok()) return left.status();
    const auto right = b.leafAt(place, objects);
    if (!right.ok()) return right.status();
    for (const auto& [key, value] : left.value()) {
      const auto same = right.value().find(key);
      if (same == right.value().end() || same->second != value) visit(place, key);
    }
    for (const auto& [key, value] : right.value()) {
      if (!left.value().contains(key)) visit(place, key);
    }
  }
  return {};
}

}  // namespace seriesdb
