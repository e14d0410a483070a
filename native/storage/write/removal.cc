#include "storage/write/removal.h"

#include <algorithm>
#include <functional>
#include <iterator>
#include <limits>
#include <memory>
#include <mutex>
#include <span>
#include <string_view>
#include <tuple>
#include <utility>

#include "common/types/range_lookup.h"
#include "storage/write/commit_request.h"

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

// Joins both under the later sequence. Null if they do not fit together. Also null if a segment of
// their time lies between them, because only the later tombstone masks its samples.
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

// Rounds of joining by time and by series. Further rounds join little; skipping them only leaves
// more tombstones.
constexpr int kJoinRounds = 8;

std::uint64_t keyOf(TimeRange range) {
  return static_cast<std::uint64_t>(range.start) * 31 + static_cast<std::uint64_t>(range.end);
}

std::uint64_t keyOf(const std::vector<SeriesRef>& refs) {
  const auto* const bytes = reinterpret_cast<const char*>(refs.data());
  return std::hash<std::string_view>{}({bytes, refs.size() * sizeof(SeriesRef)});
}

// One tombstone of all series of these tombstones, which share one range.
std::shared_ptr<const Tombstone> withAllSeries(
    std::span<const std::shared_ptr<const Tombstone>> some, std::size_t refCount) {
  auto all = std::make_shared<Tombstone>();
  all->range = some.front()->range;
  all->refs.reserve(refCount);
  for (const auto& one : some) {
    all->refs.insert(all->refs.end(), one->refs.begin(), one->refs.end());
    all->sequence = std::max(all->sequence, one->sequence);
  }
  std::ranges::sort(all->refs);
  all->refs.erase(std::unique(all->refs.begin(), all->refs.end()), all->refs.end());
  return all;
}

// Joins tombstones of the same range.
Tombstones joinSeries(Tombstones all) {
  std::ranges::sort(all, {}, [](const auto& one) {
    return std::tuple(one->range.start, one->range.end, one->sequence);
  });
  Tombstones joined;
  for (std::size_t at = 0; at < all.size();) {
    const TimeRange range = all[at]->range;
    std::size_t refCount = all[at]->refs.size();
    std::size_t end = at + 1;
    for (; end < all.size(); ++end) {
      const Tombstone& next = *all[end];
      const bool isSameTime = next.range.start == range.start && next.range.end == range.end;
      if (!isSameTime || refCount + next.refs.size() > kTombstoneSeriesMax) break;
      refCount += next.refs.size();
    }
    const std::span<const std::shared_ptr<const Tombstone>> some(&all[at], end - at);
    joined.push_back(some.size() == 1 ? all[at] : withAllSeries(some, refCount));
    at = end;
  }
  return joined;
}

// Joins tombstones of the same series whose ranges touch.
Tombstones joinTimes(const Tombstones& all) {
  struct Keyed {
    std::uint64_t key;
    const std::shared_ptr<const Tombstone>* one;
  };
  std::vector<Keyed> keyed;
  keyed.reserve(all.size());
  for (const auto& one : all) keyed.push_back({keyOf(one->refs), &one});
  std::ranges::sort(keyed, {}, [](const Keyed& one) {
    return std::tuple(one.key, (*one.one)->range.start, (*one.one)->sequence);
  });
  Tombstones joined;
  for (std::size_t at = 0; at < keyed.size();) {
    const auto& first = *keyed[at].one;
    TimeRange range = first->range;
    std::uint64_t sequence = first->sequence;
    std::size_t end = at + 1;
    for (; end < keyed.size() && keyed[end].key == keyed[at].key; ++end) {
      const Tombstone& next = **keyed[end].one;
      if (!touches(range, next.range) || next.refs != first->refs) break;
      range.end = std::max(range.end, next.range.end);
      sequence = std::max(sequence, next.sequence);
    }
    if (end - at == 1) {
      joined.push_back(first);
    } else {
      joined.push_back(std::make_shared<const Tombstone>(Tombstone{first->refs, range, sequence}));
    }
    at = end;
  }
  return joined;
}

// REQUIRES: no segment came between any two of them.
Tombstones joinAmong(Tombstones all) {
  for (int round = 0; round < kJoinRounds; ++round) {
    const std::size_t before = all.size();
    all = joinTimes(joinSeries(std::move(all)));
    if (all.size() == before) break;
  }
  return all;
}

// Joins later tombstones with those in the manifest.
class RecordedJoin {
 public:
  explicit RecordedJoin(const ManifestState& recorded) : recorded_(recorded) {
    for (std::uint32_t i = 0; i < recorded.tombstones.size(); ++i) {
      const Tombstone& one = *recorded.tombstones[i];
      byTime_.add(keyOf(one.range), one.range, i);
      bySeries_.add(keyOf(one.refs), one.range, i);
    }
    byTime_.sort();
    bySeries_.sort();
  }

  void join(std::shared_ptr<const Tombstone>& next) const {
    const auto joinWith = [&](std::uint32_t number) {
      const Tombstone& one = *recorded_.tombstones[number];
      auto both = next->covers(one) ? nullptr : joined(recorded_, one, *next);
      if (!both) return false;
      next = std::move(both);
      return true;
    };
    // The joined tombstone may touch others, so it is joined again.
    for (bool isNew = true; isNew;) {
      const TimeRange range = next->range;
      isNew = byTime_.visit(keyOf(range), range.start, range.end, joinWith) ||
              bySeries_.visit(keyOf(next->refs), after(range.end), before(range.start), joinWith);
    }
  }

 private:
  static Timestamp after(Timestamp ts) {
    return ts == std::numeric_limits<Timestamp>::max() ? ts : ts + 1;
  }
  static Timestamp before(Timestamp ts) {
    return ts == std::numeric_limits<Timestamp>::min() ? ts : ts - 1;
  }

  const ManifestState& recorded_;
  RangeLookup byTime_;
  RangeLookup bySeries_;
};

}  // namespace

void findSeries(const IndexHolder& indexes, RemovalWrite& removal) {
  auto& refs = removal.tombstone.refs;
  const auto index = indexes.current();
  for (const SeriesId id : removal.series) {
    const auto ref = index->findById(id);
    if (ref) refs.push_back(*ref);
  }
  std::sort(refs.begin(), refs.end());
  refs.erase(std::unique(refs.begin(), refs.end()), refs.end());
  removal.room = refs.size() + kTombstoneWeight;
  if (!refs.empty()) encodeTombstone(removal.payload, removal.tombstone);
}

std::shared_ptr<const Tombstone> applyRemoval(ViewHolder& viewHolder, WritePath& writes,
                                              Tombstone tombstone) {
  const auto shared = std::make_shared<const Tombstone>(std::move(tombstone));
  // The active memtable erases before the tombstone masks the other sources, in a view that says
  // so. series_sources.h explains why no reader sees only one of the two.
  {
    const auto view = viewHolder.current();
    view->active->erase(shared);
  }
  viewHolder.update([&shared](View& view) {
    view.tombstones.add(shared);
    ++view.activeErasures;
  });
  ++writes.unfrozenTombstones;
  return shared;
}

void indexTombstones(Sources& sources) {
  const std::lock_guard lock(sources.tombstoneMutex);
  const auto before = sources.view.current();
  if (!before->tombstones.isIndexDue()) return;
  TombstoneList next = before->tombstones;
  next.index();
  sources.view.update([&](View& view) {
    for (auto& one : view.tombstones.after(next.lastSequence())) next.add(std::move(one));
    view.tombstones = std::move(next);
  });
}

Tombstones joinTombstones(const ManifestState& recorded, const Tombstones& later) {
  if (later.empty()) return {};
  const std::uint64_t first = later.front()->sequence;
  const bool isAfterSegments = std::ranges::all_of(
      recorded.segments, [first](const SegmentFacts& facts) { return facts.sequenceMax < first; });
  if (!isAfterSegments) return later;
  Tombstones all = joinAmong(later);
  if (!recorded.tombstones.empty()) {
    const RecordedJoin join(recorded);
    for (auto& one : all) join.join(one);
    all = joinAmong(std::move(all));
  }
  std::ranges::sort(all, {}, [](const auto& one) { return one->sequence; });
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
