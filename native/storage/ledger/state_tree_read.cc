// Reads a state from the entries of a tree.

#include <algorithm>
#include <optional>
#include <utility>

#include "common/base/parallel.h"
#include "format/annotation/annotation.h"
#include "format/manifest/manifest_edit.h"
#include "format/manifest/manifest_record.h"
#include "format/manifest/segment_record.h"
#include "format/objects/tree_node.h"
#include "index/catalog/catalog_codec.h"
#include "storage/ledger/state_entries.h"

namespace seriesdb {
namespace {

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
  return malformed("number entry");
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

namespace {

// Series leaves to read ahead, and the threads that read them.
constexpr std::size_t kLeavesAhead = 64;
constexpr std::size_t kReadersMax = 4;

// A leaf that was read, and its result.
struct LeafLoad {
  ByteBuffer bytes;
  SeriesLoad series;
  Status status;
};

Status loadLeaf(LeafLoad& leaf, std::uint64_t seriesCount) {
  const auto entries = viewTreeLeaf(leaf.bytes);
  if (!entries.ok()) return entries.status();
  std::vector<Label> labels;
  for (const auto& [key, value] : entries.value()) {
    ByteReader reader(asBytes(value));
    const auto series = decodeSeriesView(reader, labels);
    if (!series.ok()) return series.status();
    if (!reader.atEnd() || series.value().ref >= seriesCount) return malformed("series");
    const Status added = leaf.series.add(series.value(), SeriesLoad::LeftOut::kGone);
    if (!added.ok()) return added;
  }
  return {};
}

Status restoreSeries(const std::vector<Sha256>& leaves, const ObjectReader& objects,
                     std::uint64_t seriesCount, SeriesIndex& index) {
  std::vector<std::optional<LeafLoad>> ahead(kLeavesAhead);
  Status restored;
  const auto prepare = [&](std::size_t number) {
    auto& leaf = ahead[number % kLeavesAhead].emplace(LeafLoad{{}, index.emptyLoad(), {}});
    auto bytes = objects.read(leaves[number]);
    leaf.status = bytes.status();
    if (!bytes.ok()) return;
    leaf.bytes = std::move(bytes).value();
    leaf.status = loadLeaf(leaf, seriesCount);
  };
  const auto take = [&](std::size_t number) {
    auto& leaf = ahead[number % kLeavesAhead];
    restored = leaf->status.ok() ? index.restoreAll(leaf->series) : leaf->status;
    leaf.reset();
    return restored.ok();
  };
  runOrdered({leaves.size(), kLeavesAhead, prepare, take}, kReadersMax);
  return restored;
}

}  // namespace

Status restoreIndex(const ObjectTree& tree, const ObjectReader& objects, std::uint64_t seriesCount,
                    SeriesIndex& index) {
  if (seriesCount > kSeriesRefsMax) return malformed("number of series");
  const std::vector<Sha256> leaves =
      tree.leaves(static_cast<std::uint8_t>(TreeSectionId::kSeries));
  // Bounded by the leaves, because a damaged count may be larger.
  index.expect(static_cast<std::uint32_t>(
      std::min<std::uint64_t>(seriesCount, leaves.size() * kSeriesOfLeaf)));
  Status read = restoreSeries(leaves, objects, seriesCount, index);
  if (!read.ok()) return read;
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

namespace {

using DifferenceVisit = std::function<void(LeafPlace place, std::string_view key)>;

void visitUnequal(LeafPlace place, const LeafEntries& left, const LeafEntries& right,
                  const DifferenceVisit& visit) {
  for (const auto& [key, value] : left) {
    const auto same = right.find(key);
    if (same == right.end() || same->second != value) visit(place, key);
  }
  for (const auto& [key, value] : right) {
    if (!left.contains(key)) visit(place, key);
  }
}

}  // namespace

Status visitDifferences(const ObjectTree& a, const ObjectTree& b, const ObjectReader& objects,
                        const DifferenceVisit& visit) {
  const LeafPlace descriptors{static_cast<std::uint8_t>(TreeSectionId::kDescriptors), 0};
  LeafEntries descriptorsOfA;
  LeafEntries descriptorsOfB;
  for (const LeafPlace place : a.differingLeaves(b)) {
    auto left = a.leafAt(place, objects);
    if (!left.ok()) return left.status();
    auto right = b.leafAt(place, objects);
    if (!right.ok()) return right.status();
    if (place.section == descriptors.section) {
      descriptorsOfA.merge(left.value());
      descriptorsOfB.merge(right.value());
    } else {
      visitUnequal(place, left.value(), right.value(), visit);
    }
  }
  visitUnequal(descriptors, descriptorsOfA, descriptorsOfB, visit);
  return {};
}

}  // namespace seriesdb
