#include "write/removal.h"

#include <algorithm>
#include <iterator>
#include <memory>
#include <mutex>
#include <utility>

namespace seriesdb {
namespace {

bool hasChunkIn(const Segment& segment, SeriesRef ref, TimeRange range) {
  std::vector<ChunkEntry> chunks;
  segment.find(ref, range, chunks);
  return !chunks.empty();
}

bool touches(TimeRange a, TimeRange b) {
  if (a.start > b.start) std::swap(a, b);
  return b.start <= a.end || b.start - 1 == a.end;
}

// Both in one with the sequence of the later, or nothing when they do not fit together, or when a
// segment of their time came between them, of which only the later one takes samples.
std::shared_ptr<const Tombstone> joined(const ManifestState& recorded, const Tombstone& earlier,
                                        const Tombstone& later) {
  const TimeRange a = earlier.range;
  const TimeRange b = later.range;
  const bool isSameTime = a.start == b.start && a.end == b.end;
  if (!isSameTime && !(touches(a, b) && earlier.refs == later.refs)) return nullptr;
  if (earlier.refs.size() + later.refs.size() > kTombstoneSeriesMax) return nullptr;
  auto both = std::make_shared<Tombstone>();
  both->sequence = later.sequence;
  both->range = a;
  const auto isBetween = [&](const SegmentFacts& facts) {
    return facts.sequenceMax >= earlier.sequence && isMasked(facts, *both);
  };
  if (std::ranges::any_of(recorded.segments, isBetween)) return nullptr;
  both->range = {std::min(a.start, b.start), std::max(a.end, b.end)};
  both->refs.reserve(std::max(earlier.refs.size(), later.refs.size()));
  std::set_union(earlier.refs.begin(), earlier.refs.end(), later.refs.begin(), later.refs.end(),
                 std::back_inserter(both->refs));
  return both;
}

// Makes `next` one with each that it fits. False when there is none.
bool joinWith(const ManifestState& recorded, const Tombstones& earlier,
              std::shared_ptr<const Tombstone>& next) {
  bool isNew = false;
  for (const Tombstones* some : {&recorded.tombstones, &earlier}) {
    for (const auto& one : *some) {
      auto both = next->covers(*one) ? nullptr : joined(recorded, *one, *next);
      if (!both) continue;
      next = std::move(both);
      isNew = true;
    }
  }
  return isNew;
}

}  // namespace

std::shared_ptr<const Tombstone> applyRemoval(EngineState& state, Tombstone tombstone) {
  const auto shared = std::make_shared<const Tombstone>(std::move(tombstone));
  // Erased before it masks the other sources, in views that say so: series_sources.h tells how
  // nobody sees one without the other.
  {
    const auto view = state.view.current();
    view->active->erase(shared);
  }
  state.view.update([&shared](View& view) {
    view.tombstones.add(shared);
    ++view.activeErasures;
  });
  ++state.unfrozenTombstones;
  return shared;
}

void indexTombstones(EngineState& state) {
  const std::lock_guard lock(state.tombstoneMutex);
  const auto before = state.view.current();
  if (!before->tombstones.isIndexDue()) return;
  TombstoneList next = before->tombstones;
  next.index();
  state.view.update([&](View& view) {
    for (auto& one : view.tombstones.after(next.lastSequence())) next.add(std::move(one));
    view.tombstones = std::move(next);
  });
}

Tombstones joinTombstones(const ManifestState& recorded, const Tombstones& later) {
  Tombstones all;
  for (auto next : later) {
    // Joined once more with what came before: it may touch that only now.
    while (joinWith(recorded, all, next)) continue;
    std::erase_if(all, [&next](const auto& one) { return next->covers(*one); });
    all.push_back(std::move(next));
  }
  return all;
}

bool masksSegment(const View& view, const Tombstone& tombstone) {
  const auto isRead = [&](const auto& segment) {
    return isMasked(segment->facts(), tombstone) &&
           std::any_of(tombstone.refs.begin(), tombstone.refs.end(),
                       [&](SeriesRef ref) { return hasChunkIn(*segment, ref, tombstone.range); });
  };
  return std::any_of(view.segments.begin(), view.segments.end(), isRead) ||
         std::any_of(view.damaged.begin(), view.damaged.end(),
                     [&](const SegmentFacts& facts) { return isMasked(facts, tombstone); });
}

}  // namespace seriesdb
