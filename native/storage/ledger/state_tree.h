// Converts the state of the database to the entries of a commit's tree, and back. See
// docs/format/objects.md.
//
// Invariant: equal states have equal entries, so their trees have equal roots.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "format/annotation/annotation_index.h"
#include "format/manifest/manifest.h"
#include "format/objects/object_tree.h"
#include "index/index_holder.h"

namespace seriesdb {

// On disk: do not renumber.
enum class TreeSectionId : std::uint8_t {
  kAnnotations = 'a',
  kSeries = 'c',
  kDescriptors = 'd',
  kMeta = 'm',
  kSegments = 's',
  kTombstones = 't',
};

// Sources of the changes that MANIFEST does not hold itself, without descriptors.
struct StateSources {
  const IndexHolder& index;
  const AnnotationIndex& annotations;
};
// The changes of the parts that MANIFEST itself holds, without series and annotations.
TreeEdit manifestChange(const ManifestState& from, const ManifestState& to);
TreeEdit changeOf(const ManifestState& from, const ManifestState& to, const StateSources& sources);
void forgetSeries(TreeEdit& edit, std::span<const SeriesRef> refs);

// The state without series, descriptors and annotations. kStorageCorrupt if the tree is not of a
// state.
Result<ManifestState> stateIn(const ObjectTree& tree, const ObjectReader& objects);
// The segments of one leaf, or of all leaves.
Result<std::vector<SegmentFacts>> segmentsInLeaf(const Sha256& leaf, const ObjectReader& objects);
Result<std::vector<SegmentFacts>> segmentsIn(const ObjectTree& tree, const ObjectReader& objects);
// Restores what MANIFEST lacks into an empty index and an empty annotation list. Refs below
// `seriesCount` that the tree lacks become gone series; kStorageCorrupt if the tree has more
// series.
Status restoreIndex(const ObjectTree& tree, const ObjectReader& objects, std::uint64_t seriesCount,
                    SeriesIndex& index);
Status restoreAnnotations(const ObjectTree& tree, const ObjectReader& objects,
                          AnnotationIndex& annotations);
// The metric and the part of a descriptor entry's key. Empty for an empty key, which no entry has.
std::pair<std::string_view, char> descriptorKey(std::string_view key);

// The ref of a series entry's key.
std::uint64_t seriesKey(std::string_view key);

// Calls `visit` with each entry that differs between the trees. The leaf of a descriptor does not
// matter: older versions wrote larger leaves.
Status visitDifferences(const ObjectTree& a, const ObjectTree& b, const ObjectReader& objects,
                        const std::function<void(LeafPlace place, std::string_view key)>& visit);

}  // namespace seriesdb
