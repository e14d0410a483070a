#include "storage/compaction/survey.h"

#include <algorithm>
#include <tuple>

#include "common/base/check.h"

namespace seriesdb {
namespace {

// The sort key of a segment, copied beside its pointer, so that sorting does not look up segments.
struct SortKey {
  std::int64_t classNumber;  // -1: L0.
  SlotWidth width;
  std::int64_t slot;
  std::uint64_t seqMin;
  std::uint64_t number;
  const CompactionSegment* segment;

  auto rank() const { return std::tie(classNumber, width, slot, seqMin, number); }
};

std::vector<const CompactionSegment*> orderedSegments(
    const std::vector<CompactionSegment>& segments) {
  std::vector<SortKey> keys;
  keys.reserve(segments.size());
  for (const CompactionSegment& one : segments) {
    const PartitionPlace place = one.place.value_or(PartitionPlace{});
    keys.push_back({one.place ? std::int64_t{place.classNumber} : -1, place.width, place.slot,
                    one.seqMin, one.number, &one});
  }
  // If the caller's lists are already sorted, only the new tail needs sorting.
  const auto less = [](const SortKey& a, const SortKey& b) { return a.rank() < b.rank(); };
  const auto tail = std::is_sorted_until(keys.begin(), keys.end(), less);
  std::sort(tail, keys.end(), less);
  std::inplace_merge(keys.begin(), tail, keys.end(), less);
  std::vector<const CompactionSegment*> sorted;
  sorted.reserve(keys.size());
  for (const SortKey& key : keys) sorted.push_back(key.segment);
  return sorted;
}

std::uint64_t roomWithout(std::uint64_t from, std::uint64_t amount) {
  return from < amount ? 0 : from - amount;
}

bool meets(SegmentInterval a, SegmentInterval b) {
  return a.seqMin <= b.seqMax && b.seqMin <= a.seqMax;
}

// REQUIRES: `walls` ascend, and are disjoint or equal.
bool isWalled(const std::vector<SegmentInterval>& walls, SegmentInterval interval) {
  const auto first = std::lower_bound(
      walls.begin(), walls.end(), interval.seqMin,
      [](const SegmentInterval& wall, std::uint64_t from) { return wall.seqMax < from; });
  return first != walls.end() && first->seqMin <= interval.seqMax;
}

// Sorts the walls, and joins overlapping ones, for isWalled().
std::vector<SegmentInterval> joinedWalls(std::vector<SegmentInterval> walls) {
  std::sort(walls.begin(), walls.end(), [](const SegmentInterval& a, const SegmentInterval& b) {
    return a.seqMin < b.seqMin;
  });
  std::vector<SegmentInterval> apart;
  for (const SegmentInterval& wall : walls) {
    if (!apart.empty() && wall.seqMin <= apart.back().seqMax) {
      apart.back().seqMax = std::max(apart.back().seqMax, wall.seqMax);
    } else {
      apart.push_back(wall);
    }
  }
  return apart;
}

}  // namespace

CompactionSurvey::CompactionSurvey(const CompactionState& state)
    : state_(state), ordered_(orderedSegments(state.segments)) {
  for (const CompactionClass& one : state.classes) classes_.emplace(one.number, &one);
  std::size_t at = 0;
  while (at < ordered_.size() && !ordered_[at]->place) ++at;
  levelZero_ = SegmentSpan(ordered_).first(at);
  while (at < ordered_.size()) {
    std::size_t end = at;
    while (end < ordered_.size() && ordered_[end]->place == ordered_[at]->place) {
      partitionSeqMax_ = std::max(partitionSeqMax_, ordered_[end]->seqMax);
      ++end;
    }
    const PartitionPlace place = *ordered_[at]->place;
    const bool isSameClass =
        !partitions_.empty() && partitions_.back().place.classNumber == place.classNumber;
    const CompactionClass& of = isSameClass ? *partitions_.back().of : classOf(*ordered_[at]);
    CHECK(place.width == of.leaf);
    partitions_.push_back({place, &of, leafSlotRange(of, place.slot, state.unit),
                           SegmentSpan(ordered_).subspan(at, end - at)});
    at = end;
  }
  fileVersions();
  purgeRoom_ = roomWithout(state.freeBytes, state.reserveBytes);
  mergeRoom_ = roomWithout(purgeRoom_, 2 * state.memtableBytes);
}

const CompactionClass& CompactionSurvey::classOf(const CompactionSegment& segment) const {
  const auto found = classes_.find(segment.place->classNumber);
  CHECK(found != classes_.end());
  return *found->second;
}

std::int64_t CompactionSurvey::cellOf(Timestamp ts) const {
  return slotOf(ts, widthOf(kWidestSlot, state_.unit));
}

void CompactionSurvey::fileVersions() {
  for (const Partition& partition : partitions_) {
    hasVersions_ = hasVersions_ || partition.of->version != partitions_.front().of->version;
  }
  if (!hasVersions_) return;
  for (const Partition& partition : partitions_) {
    auto& to = isEndless(partition.place.slot) ? attics_ : cells_[cellOf(partition.range.start)];
    to.insert(to.end(), partition.segments.begin(), partition.segments.end());
  }
}

std::vector<SegmentInterval> CompactionSurvey::wallsOf(const MergeScope& scope) const {
  std::vector<SegmentInterval> walls;
  // An L0 younger than all partitions lies after each of their runs.
  for (const CompactionSegment* segment : levelZero_) {
    if (segment->seqMin > partitionSeqMax_) break;
    if (overlaps(segment->time, scope.range)) walls.push_back({segment->seqMin, segment->seqMax});
  }
  if (!hasVersions_) return walls;
  const auto addOthers = [&](const std::vector<const CompactionSegment*>& segments) {
    for (const CompactionSegment* segment : segments) {
      if (classOf(*segment).version == scope.version) continue;
      if (overlaps(segment->time, scope.range)) walls.push_back({segment->seqMin, segment->seqMax});
    }
  };
  addOthers(attics_);
  // A scope of all versions contains all segments of its cell.
  if (!scope.version) return joinedWalls(std::move(walls));
  const std::int64_t cell = cellOf(scope.range.end);
  if (cellOf(scope.range.start) != cell) {  // An attic.
    for (const auto& [_, segments] : cells_) addOthers(segments);
  } else if (const auto found = cells_.find(cell); found != cells_.end()) {
    addOthers(found->second);
  }
  return joinedWalls(std::move(walls));
}

std::vector<UnitSpan> CompactionSurvey::stretchesOf(const MergeScope& scope, bool withFinals,
                                                    std::vector<SegmentUnit>& units) const {
  units.clear();
  appendUnits(scope.segments, units);
  const std::vector<SegmentInterval> walls = wallsOf(scope);
  std::vector<UnitSpan> stretches;
  std::size_t start = 0;
  const auto end = [&](std::size_t at) {
    if (start < at) stretches.push_back(UnitSpan(units).subspan(start, at - start));
    start = at;
  };
  for (std::size_t i = 0; i < units.size(); ++i) {
    const SegmentUnit& unit = units[i];
    const bool isApart = unit.segments.size() > 1 && isWalled(walls, {unit.seqMin, unit.seqMax});
    if (i > start && isWalled(walls, {units[i - 1].seqMin, unit.seqMax})) end(i);
    if (!unit.isDamaged && !isApart && (withFinals || !unit.isFinal)) continue;
    end(i);
    start = i + 1;
  }
  end(units.size());
  return stretches;
}

bool CompactionSurvey::isPartitionBetween(SegmentInterval interval, TimeRange time) const {
  if (interval.seqMin > partitionSeqMax_) return false;
  const SegmentSpan placed = SegmentSpan(ordered_).subspan(levelZero_.size());
  return std::any_of(placed.begin(), placed.end(), [&](const CompactionSegment* one) {
    return meets(interval, {one->seqMin, one->seqMax}) && overlaps(one->time, time);
  });
}

std::vector<SlotSpan> CompactionSurvey::spansOf(TimeRange time) const {
  std::vector<SlotSpan> spans;
  for (const CompactionClass& one : state_.classes) {
    if (one.version != state_.version) continue;
    spans.push_back({one.number, one.leaf, leafSlotOf(one, time.start, state_.unit),
                     leafSlotOf(one, time.end, state_.unit)});
  }
  CHECK(!spans.empty());
  return spans;
}

void appendUnits(SegmentSpan segments, std::vector<SegmentUnit>& units) {
  for (std::size_t i = 0; i < segments.size(); ++i) {
    const CompactionSegment& segment = *segments[i];
    if (units.empty() || segment.seqMin > units.back().seqMax) {
      units.push_back({segments.subspan(i, 0), 0, segment.seqMin, segment.seqMax, false, false});
    }
    SegmentUnit& unit = units.back();
    unit.segments = SegmentSpan(unit.segments.data(), unit.segments.size() + 1);
    unit.bytes += segment.bytes;
    unit.seqMax = std::max(unit.seqMax, segment.seqMax);
    unit.isDamaged = unit.isDamaged || segment.isDamaged;
    unit.isFinal = unit.isFinal || segment.isFinal;
  }
}

TimeRange timeOf(SegmentSpan segments) {
  TimeRange time = segments.front()->time;
  for (const CompactionSegment* segment : segments) {
    time.start = std::min(time.start, segment->time.start);
    time.end = std::max(time.end, segment->time.end);
  }
  return time;
}

CompactionPlan planOf(CompactionKind kind, SegmentSpan inputs) {
  CompactionPlan plan;
  plan.kind = kind;
  plan.seqMin = inputs.front()->seqMin;
  for (const CompactionSegment* segment : inputs) {
    plan.inputs.push_back(segment->number);
    plan.seqMin = std::min(plan.seqMin, segment->seqMin);
    plan.seqMax = std::max(plan.seqMax, segment->seqMax);
    plan.bytesIn += segment->bytes;
  }
  plan.bytesOutEstimate = plan.bytesIn;
  return plan;
}

}  // namespace seriesdb
