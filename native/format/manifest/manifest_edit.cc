#include "format/manifest/manifest_edit.h"

#include <algorithm>
#include <string>
#include <utility>

#include "common/types/range_lookup.h"

namespace seriesdb {
namespace {

bool numberLess(const SegmentFacts& facts, std::uint64_t number) { return facts.number < number; }

std::vector<SegmentFacts>::iterator findSegment(std::vector<SegmentFacts>& all,
                                                std::uint64_t number) {
  const auto found = std::lower_bound(all.begin(), all.end(), number, numberLess);
  return found != all.end() && found->number == number ? found : all.end();
}

// True if the class of the segment's partition is known and has slots of that width.
bool isPlaced(const ManifestState& state, const SegmentFacts& facts) {
  if (!facts.place) return true;
  const std::uint32_t number = facts.place->classNumber;
  const auto of = std::ranges::lower_bound(state.classes, number, {}, &CompactionClass::number);
  return of != state.classes.end() && of->number == number && of->leaf == facts.place->width;
}

Status applySegments(ManifestState& state, const ManifestEdit& edit) {
  // Additions first: a number that this edit removes is still taken.
  for (const SegmentFacts& facts : edit.added) {
    const std::uint64_t number = facts.number;
    const auto at =
        std::lower_bound(state.segments.begin(), state.segments.end(), number, numberLess);
    const bool taken = at != state.segments.end() && at->number == number;
    if (taken || number == 0 || number == std::numeric_limits<std::uint64_t>::max()) {
      return Status::invalid("segment " + std::to_string(number) + " cannot be added");
    }
    if (!isPlaced(state, facts)) {
      return Status::invalid("segment " + std::to_string(number) +
                             " has an unknown compaction class");
    }
    if (facts.tsMin > facts.tsMax) {
      return Status::invalid("segment " + std::to_string(number) + " ends before it begins");
    }
    state.segments.insert(at, facts);
    state.nextSegment = std::max(state.nextSegment, number + 1);
  }
  for (const std::uint64_t number : edit.removed) {
    const auto at = findSegment(state.segments, number);
    if (at == state.segments.end()) {
      return Status::invalid("segment " + std::to_string(number) +
                             " cannot be removed: it is not listed");
    }
    state.segments.erase(at);
  }
  for (const FloorRaise& raise : edit.raised) {
    const auto at = findSegment(state.segments, raise.number);
    if (at == state.segments.end() || raise.erasedThrough <= at->floor()) {
      return Status::invalid("the floor of segment " + std::to_string(raise.number) +
                             " cannot be raised");
    }
    at->erasedThrough = raise.erasedThrough;
  }
  for (const SegmentHash& one : edit.hashed) {
    const auto at = findSegment(state.segments, one.number);
    if (at == state.segments.end() || at->hash) {
      return Status::invalid("segment " + std::to_string(one.number) + " cannot get a hash");
    }
    at->hash = one.hash;
  }
  return {};
}

// Drops classes of older versions that have no segment. They stay empty: writes go to the last
// version, or to the class of their input.
void forgetClasses(ManifestState& state) {
  if (state.classes.empty()) return;
  const std::uint32_t last = state.classes.back().version;
  const auto isLast = [last](const CompactionClass& one) { return one.version == last; };
  if (std::all_of(state.classes.begin(), state.classes.end(), isLast)) return;
  std::vector<std::uint32_t> used;
  for (const SegmentFacts& facts : state.segments) {
    if (facts.place) used.push_back(facts.place->classNumber);
  }
  std::sort(used.begin(), used.end());
  std::erase_if(state.classes, [&](const CompactionClass& one) {
    return !isLast(one) && !std::binary_search(used.begin(), used.end(), one.number);
  });
}

// A tombstone with more series is looked up by its time range alone.
constexpr std::size_t kLookedUpSeriesMax = 64;
// No SeriesRef is this large.
constexpr std::uint64_t kAnySeries = UINT64_MAX;

// Appends `later` and drops every tombstone that a later one in `later` covers.
Status addTombstones(Tombstones& all, const Tombstones& later) {
  RangeLookup lookup;
  for (std::uint32_t i = 0; i < later.size(); ++i) {
    const Tombstone& one = *later[i];
    if (!all.empty() && one.sequence <= all.back()->sequence) {
      return Status::invalid("the sequences of tombstones must ascend");
    }
    all.push_back(later[i]);
    if (one.refs.size() > kLookedUpSeriesMax) {
      lookup.add(kAnySeries, one.range, i);
    } else {
      for (const SeriesRef ref : one.refs) lookup.add(ref, one.range, i);
    }
  }
  lookup.sort();
  std::erase_if(all, [&](const auto& one) {
    const auto isCovering = [&](std::uint32_t number) {
      return later[number]->sequence > one->sequence && later[number]->covers(*one);
    };
    const TimeRange range = one->range;
    return lookup.visit(one->refs.front(), range.start, range.end, isCovering) ||
           lookup.visit(kAnySeries, range.start, range.end, isCovering);
  });
  return {};
}

}  // namespace

Status applyEdit(ManifestState& state, const ManifestEdit& edit) {
  if (edit.number != 0) {
    if (edit.number <= state.editNumber) return Status::invalid("the edits' numbers must ascend");
    state.editNumber = edit.number;
  }
  if (edit.seriesCount != 0) {
    if (edit.seriesCount < state.seriesCount)
      return Status::invalid("the series count cannot fall");
    state.seriesCount = edit.seriesCount;
  }
  for (const CompactionClass& one : edit.classes) {
    if (!state.classes.empty() && one.number <= state.classes.back().number) {
      return Status::invalid("the numbers of classes must ascend");
    }
    state.classes.push_back(one);
  }
  if (edit.retentionClock) state.retentionClock = edit.retentionClock;
  if (edit.retentionMark) state.retentionMark = *edit.retentionMark;
  const Status applied = applySegments(state, edit);
  if (!applied.ok()) return applied;
  if (!edit.removed.empty() || !edit.classes.empty()) forgetClasses(state);
  if (edit.walFloor != 0) {
    if (edit.walFloor < state.walFloor) return Status::invalid("the WAL floor cannot fall");
    state.walFloor = edit.walFloor;
  }
  if (edit.flushedSequence != 0) {
    if (edit.flushedSequence < state.flushedSequence) {
      return Status::invalid("the flushed sequence cannot fall");
    }
    state.flushedSequence = edit.flushedSequence;
  }
  if (edit.annotationCount != 0) {
    if (edit.annotationCount < state.annotationCount) {
      return Status::invalid("the annotation count cannot fall");
    }
    state.annotationCount = edit.annotationCount;
  }
  if (!edit.tombstones.empty()) {
    const Status added = addTombstones(state.tombstones, edit.tombstones);
    if (!added.ok()) return added;
  }
  std::erase_if(state.tombstones, [&state](const auto& one) {
    return std::none_of(state.segments.begin(), state.segments.end(),
                        [&](const SegmentFacts& facts) { return isMasked(facts, *one); });
  });
  return {};
}

}  // namespace seriesdb
