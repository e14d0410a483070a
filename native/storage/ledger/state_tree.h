// The state of the database as entries of a commit's tree, and back. See docs/format/objects.md.
//
// Invariant: equal states have equal entries, so that their trees have equal roots.
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

// What turns one state into another. Nothing of descriptors.
struct StateSources {
  const IndexHolder& index;
  const AnnotationIndex& annotations;
};
// Of what MANIFEST holds itself: not of series and annotations.
TreeEdit manifestChange(const ManifestState& from, const ManifestState& to);
TreeEdit changeOf(const ManifestState& from, const ManifestState& to, const StateSources& sources);
void forgetSeries(TreeEdit& edit, std::span<const SeriesRef> refs);

// All but series, descriptors and annotations. kStorageCorrupt when the tree is none of a state.
Result<ManifestState> stateIn(const ObjectTree& tree, const ObjectReader& objects);
// The segments of one leaf, or of all of them.
Result<std::vector<SegmentFacts>> segmentsInLeaf(const Sha256& leaf, const ObjectReader& objects);
Result<std::vector<SegmentFacts>> segmentsIn(const ObjectTree& tree, const ObjectReader& objects);
// Restores what MANIFEST does not have into an empty index and an empty list of annotations. Series
// up to `seriesCount` that the tree lacks are gone; kStorageCorrupt when it has more.
Status restoreIndex(const ObjectTree& tree, const ObjectReader& objects, std::uint64_t seriesCount,
                    SeriesIndex& index);
Status restoreAnnotations(const ObjectTree& tree, const ObjectReader& objects,
                          AnnotationIndex& annotations);
// The metric and the name of the part that an entry of descriptors stands for; nothing of an empty
// key, which none has.
std::pair<std::string_view, char> descriptorKey(std::string_view key);

// The ref of the series that an entry stands for.
std::uint64_t seriesKey(std::string_view key);

// Calls `visit` with each entry that is not the same in both. Which leaf has a descriptor makes no
// difference: one that an older program wrote may be larger.
Status visitDifferences(const ObjectTree& a, const ObjectTree& b, const ObjectReader& objects,
                        const std::function<void(LeafPlace place, std::string_view key)>& visit);

}  // namespace seriesdb
