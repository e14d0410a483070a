#include "engine/removal.h"

#include <algorithm>
#include <memory>
#include <utility>

namespace seriesdb {
namespace {

bool isMasked(const SegmentFacts& facts, const Tombstone& tombstone) {
  return facts.sequenceMax < tombstone.sequence && facts.tsMin <= tombstone.range.end &&
         tombstone.range.start <= facts.tsMax;
}

bool hasChunkIn(const Segment& segment, SeriesRef ref, TimeRange range) {
  const auto chunks = segment.chunksOf(ref);
  return std::any_of(chunks.begin(), chunks.end(), [range](const ChunkEntry& entry) {
    return entry.summary.tsMin <= range.end && range.start <= entry.summary.tsMax;
  });
}

}  // namespace

std::shared_ptr<const Tombstone> applyRemoval(EngineState& state, Tombstone tombstone) {
  const auto shared = std::make_shared<const Tombstone>(std::move(tombstone));
  // Masked before it is erased, so that no older value of an erased sample shows in between.
  state.view.update([&shared](View& view) {
    view.tombstones.add(shared);
    ++view.activeErasures;
  });
  state.view.current()->active->erase(shared);
  ++state.unfrozenTombstones;
  return shared;
}

bool masksSegment(const View& view, const Tombstone& tombstone) {
  const auto isRead = [&](const auto& segment) {
    return isMasked(segment->facts(), tombstone) &&
           std::any_of(tombstone.refs.begin(), tombstone.refs.end(),
                       [&](SeriesRef ref) { return hasChunkIn(*segment, ref, tombstone.range); });
  };
  return std::any_of(view.segments.begin(), view.segments.end(), isRead) ||
         std::any_of(view.quarantined.begin(), view.quarantined.end(),
                     [&](const SegmentFacts& facts) { return isMasked(facts, tombstone); });
}

}  // namespace seriesdb
