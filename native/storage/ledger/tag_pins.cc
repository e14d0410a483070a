#include "storage/ledger/tag_pins.h"

#include "format/objects/committed_tree.h"
#include "format/objects/loose_tags.h"
#include "storage/ledger/state_tree.h"

namespace seriesdb {

void TagPins::read(const RefsLog& refs, FileSystem& fs, const std::string& directory) {
  segments_.clear();
  Status pinned;
  for (const auto& [ref, move] : refs.refs()) {
    if (pinned.ok() && ref.starts_with(kTagPrefix)) pinned = pin(move.to, refs);
  }
  const auto loose = readLooseTags(fs, directory);
  if (pinned.ok()) pinned = loose.status();
  if (loose.ok()) {
    for (const LooseTag& tag : loose.value()) {
      if (pinned.ok()) pinned = pin(tag.move.to, TagObjects(tag));
    }
  }
  problem_.clear();
  if (!pinned.ok()) {
    problem_ = "no segment is removed, because a snapshot cannot be read: " + pinned.message();
  }
}

void TagPins::add(std::span<const SegmentFacts> segments) {
  for (const SegmentFacts& facts : segments) segments_.insert(*facts.hash);
}

Status TagPins::pin(const Sha256& commit, const ObjectReader& objects) {
  const auto state = stateAt(commit, objects);
  if (!state.ok()) return state.status();
  for (const SegmentFacts& facts : state.value().segments) {
    if (facts.hash) segments_.insert(*facts.hash);
  }
  return {};
}

Result<ManifestState> stateAt(const Sha256& commit, const ObjectReader& objects) {
  const auto loaded = loadCommit(commit, objects);
  return loaded.ok() ? stateIn(loaded.value().tree, objects) : loaded.status();
}

}  // namespace seriesdb
