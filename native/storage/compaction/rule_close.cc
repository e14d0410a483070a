// R3: writes a partition without live samples once more, in its final form. Later samples wait in
// its list until they are worth the rewrite, or have waited for a month.
//
// If a widest slot has segments of an older version of the classes, the slot is closed as a whole,
// by interval. The outputs are partitions of today's classes, because a moved series has samples in
// partitions of both versions.
#include <algorithm>
#include <string>
#include <tuple>
#include <unordered_map>

#include "storage/compaction/rules.h"

namespace seriesdb {
namespace {

// Rewriting late samples may cost up to this many times their own bytes.
constexpr std::uint64_t kLateShare = 8;
constexpr std::int64_t kLateDaysMax = 30;
constexpr std::int64_t kQuietHours = 1;
constexpr std::int64_t kIdleSecondsForCodecs = 600;
constexpr std::size_t kNoScope = std::numeric_limits<std::size_t>::max();

// Partitions that are closed together.
struct CloseScope {
  MergeScope merge;
  PartitionPlace place;  // The place of the partition, or of the first one.
  SlotWidth width = kWidestSlot;
  bool isTaken = false;  // True if a close of it can run now.
};

struct CloseGroup {
  UnitSpan units;
  std::uint64_t bytes = 0;
  std::uint64_t lateBytes = 0;  // Bytes of segments that are not final.
  std::uint64_t largest = 0;
  bool hasLate = false;
  bool hasFinal = false;
  bool hasOldCodecs = false;
  // The latest close of its final segments.
  Timestamp closedAt = std::numeric_limits<Timestamp>::min();
};

// True if the unit is not final, but was there when the group was closed.
bool isOfSameClose(const CloseGroup& group, const SegmentUnit& unit, const CompactionState& state) {
  if (!group.hasFinal || unit.isFinal) return false;
  return std::all_of(unit.segments.begin(), unit.segments.end(), [&](const auto* segment) {
    return earlier(state.wall, segment->arrivedAgo) <= group.closedAt;
  });
}

// Groups the units of a stretch, from the oldest on, as many per group as the cap allows. Units
// that did not fit into a close for its cap are not late. They cause no rewrite of the closed part.
std::vector<CloseGroup> groupsOf(UnitSpan stretch, const CompactionState& state) {
  std::vector<CloseGroup> groups;
  for (std::size_t i = 0; i < stretch.size(); ++i) {
    const SegmentUnit& unit = stretch[i];
    if (groups.empty() || groups.back().bytes + unit.bytes > state.limits.segmentBytesMax ||
        isOfSameClose(groups.back(), unit, state)) {
      groups.push_back({.units = stretch.subspan(i, 0)});
    }
    CloseGroup& group = groups.back();
    group.units = UnitSpan(group.units.data(), group.units.size() + 1);
    group.bytes += unit.bytes;
    for (const CompactionSegment* segment : unit.segments) {
      group.largest = std::max(group.largest, segment->bytes);
      if (!segment->isFinal) {
        group.hasLate = true;
        group.lateBytes += segment->bytes;
        continue;
      }
      group.hasFinal = true;
      group.hasOldCodecs = group.hasOldCodecs || segment->codecs != state.codecs;
      group.closedAt = std::max(group.closedAt, segment->closedAt);
    }
  }
  return groups;
}

// From this wall-clock time on, the group is worth a close. Null: time alone never makes it so.
struct CloseWorth {
  std::optional<Timestamp> from;
  const char* reason = "";
};

CloseWorth worthOf(const CloseGroup& group, const CompactionState& state) {
  const Timestamp always = std::numeric_limits<Timestamp>::min();
  if (group.hasLate && !group.hasFinal) return {always, "closed"};
  if (group.hasLate) {
    if (group.lateBytes >= group.largest / kLateShare + (group.largest % kLateShare != 0)) {
      return {always, "late samples are 1/8"};
    }
    return {later(group.closedAt, days(kLateDaysMax, state.unit)), "late samples have waited 30 d"};
  }
  if (!group.hasOldCodecs) return {std::nullopt, ""};
  const Duration idle = kIdleSecondsForCodecs * unitsPerSecond(state.unit);
  return {later(earlier(state.wall, state.idleFor), idle), "not in today's codecs"};
}

class Closer {
 public:
  Closer(const CompactionSurvey& survey, WakeTime& wake)
      : survey_(survey), state_(survey.state()), wake_(wake) {
    // A damaged L0 cannot pass R1. Once it is repaired, its samples are late.
    for (const CompactionSegment* segment : survey.levelZero()) {
      if (!segment->isDamaged) frozenMin_ = std::min(frozenMin_, segment->frozenAt);
    }
  }

  CloseChoice choose() && {
    findCells();
    for (const Partition& one : survey_.partitions()) scopeOf_.push_back(scopeOf(one));
    for (auto& [_, cell] : cells_) sortCell(cell);
    for (CloseScope& scope : scopes_) look(scope);
    for (const std::size_t scope : scopeOf_) {
      choice_.isTaken.push_back(scope != kNoScope && scopes_[scope].isTaken);
    }
    return std::move(choice_);
  }

 private:
  // A widest slot with partitions of an older version.
  struct Cell {
    std::size_t scope = kNoScope;
    std::vector<const CompactionSegment*> segments;
  };

  std::int64_t cellOf(const Partition& partition) const {
    return slotOf(partition.range.start, widthOf(kWidestSlot, state_.unit));
  }

  void findCells() {
    for (const Partition& one : survey_.partitions()) {
      if (!isEndless(one.place.slot) && !survey_.isToday(one)) cells_[cellOf(one)];
    }
  }

  // The scope that closes the partition. All partitions of one cell share a scope.
  std::size_t scopeOf(const Partition& one) {
    if (isEndless(one.place.slot)) return kNoScope;
    const MergeScope merge{one.range, one.segments, one.of->version};
    const auto found = cells_.empty() ? cells_.end() : cells_.find(cellOf(one));
    if (found == cells_.end()) {
      scopes_.push_back({merge, one.place, one.place.width});
      return scopes_.size() - 1;
    }
    Cell& cell = found->second;
    if (cell.scope == kNoScope) {
      cell.scope = scopes_.size();
      scopes_.push_back({merge, one.place, kWidestSlot});
    }
    cell.segments.insert(cell.segments.end(), one.segments.begin(), one.segments.end());
    return cell.scope;
  }

  void sortCell(Cell& cell) {
    std::sort(cell.segments.begin(), cell.segments.end(),
              [](const CompactionSegment* a, const CompactionSegment* b) {
                return std::tie(a->seqMin, a->number) < std::tie(b->seqMin, b->number);
              });
    const Duration widest = widthOf(kWidestSlot, state_.unit);
    MergeScope& merge = scopes_[cell.scope].merge;
    merge = {slotRange(slotOf(merge.range.start, widest), widest), cell.segments, std::nullopt};
  }

  // The time from which the scope is closed and quiet; null if time alone does not make it so.
  std::optional<Timestamp> closedFrom(const CloseScope& scope) const {
    const TimeRange range = scope.merge.range;
    const Duration width = widthOf(scope.width, state_.unit);
    const Duration margin = std::max(hours(1, state_.unit), width / 8);
    const Timestamp end = later(later(range.end, 1), margin);
    // An L0 or a client may still have live samples for the partition.
    if (end > frozenMin_ || end > later(state_.newest, days(1, state_.unit))) return std::nullopt;
    Duration arrivedAgo = std::numeric_limits<Duration>::max();
    for (const CompactionSegment* segment : scope.merge.segments) {
      arrivedAgo = std::min(arrivedAgo, segment->arrivedAgo);
    }
    const Duration quiet = hours(kQuietHours, state_.unit);
    return std::max(end, later(earlier(state_.wall, arrivedAgo), quiet));
  }

  void look(CloseScope& scope) {
    std::optional<Timestamp> closed = closedFrom(scope);
    if (!closed && !state_.isFull) return;
    if (!closed) closed = std::numeric_limits<Timestamp>::max();
    for (const UnitSpan stretch : survey_.stretchesOf(scope.merge, true, units_)) {
      for (const CloseGroup& group : groupsOf(stretch, state_)) {
        const CloseWorth worth = worthOf(group, state_);
        if (!worth.from || group.bytes > survey_.mergeRoom()) continue;
        const Timestamp due = std::max(*closed, *worth.from);
        if (due > state_.wall && !state_.isFull) {
          wake_.at(due);
        } else {
          take(scope, group, due > state_.wall ? "asked for" : worth.reason);
        }
      }
    }
  }

  void take(CloseScope& scope, const CloseGroup& group, const char* reason) {
    scope.isTaken = true;
    const PartitionPlace& place = scope.place;
    const Rank rank{group.units.front().seqMin, scope.merge.range.start, place.classNumber};
    if (choice_.plan && rank_ <= rank) return;
    rank_ = rank;
    std::vector<const CompactionSegment*> inputs;
    for (const SegmentUnit& unit : group.units) {
      inputs.insert(inputs.end(), unit.segments.begin(), unit.segments.end());
    }
    CompactionPlan plan = planOf(CompactionKind::kClose, inputs);
    plan.outputs = {{place.classNumber, place.width, place.slot, place.slot}};
    if (!scope.merge.version) plan.outputs = survey_.spansOf(timeOf(inputs));
    plan.form = CompactionForm::kFinal;
    plan.reason = reason;
    choice_.plan = std::move(plan);
  }

  using Rank = std::tuple<std::uint64_t, Timestamp, std::uint32_t>;

  const CompactionSurvey& survey_;
  const CompactionState& state_;
  WakeTime& wake_;
  std::unordered_map<std::int64_t, Cell> cells_;
  std::vector<CloseScope> scopes_;
  std::vector<std::size_t> scopeOf_;  // By partition.
  Timestamp frozenMin_ = std::numeric_limits<Timestamp>::max();
  std::vector<SegmentUnit> units_;
  CloseChoice choice_;
  Rank rank_;
};

}  // namespace

CloseChoice chooseClose(const CompactionSurvey& survey, WakeTime& wake) {
  return Closer(survey, wake).choose();
}

}  // namespace seriesdb
