#include "storage/compaction/order_check.h"

#include <algorithm>
#include <map>
#include <queue>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "storage/compaction/survey.h"

namespace seriesdb {
namespace {

// The group of L0; no class has this number.
constexpr std::int64_t kLevelZeroGroup = -1;

std::int64_t groupOf(const CompactionSegment& segment) {
  return segment.place ? std::int64_t{segment.place->classNumber} : kLevelZeroGroup;
}

// Whether a series can have samples in segments of both groups. Classes of one version share no
// series.
class Sharing {
 public:
  explicit Sharing(const CompactionState& state) {
    for (const CompactionClass& one : state.classes) versions_[one.number] = one.version;
  }
  bool canShare(std::int64_t a, std::int64_t b) const {
    if (a == b || a == kLevelZeroGroup || b == kLevelZeroGroup) return true;
    return versions_.at(a) != versions_.at(b);
  }

 private:
  std::unordered_map<std::int64_t, std::uint32_t> versions_;
};

bool meetsInterval(const CompactionSegment& segment, std::uint64_t seqMin, std::uint64_t seqMax) {
  return segment.seqMin <= seqMax && seqMin <= segment.seqMax;
}

std::string nameOf(const CompactionSegment& segment) {
  return "#" + std::to_string(segment.number);
}

std::optional<std::string> findBroken(const CompactionState& state) {
  std::unordered_map<std::uint32_t, const CompactionClass*> classes;
  for (const CompactionClass& one : state.classes) classes[one.number] = &one;
  std::unordered_set<std::uint64_t> numbers;
  for (const CompactionSegment& segment : state.segments) {
    if (!numbers.insert(segment.number).second) return nameOf(segment) + " is there twice";
    if (segment.time.start > segment.time.end) return nameOf(segment) + " has an empty time range";
    if (segment.seqMin > segment.seqMax) return nameOf(segment) + " has an empty sequence interval";
    if (!segment.place) continue;
    const auto of = classes.find(segment.place->classNumber);
    if (of == classes.end()) return nameOf(segment) + " has an unknown class";
    const TimeRange slot = leafSlotRange(*of->second, segment.place->slot, state.unit);
    if (segment.time.start < slot.start || segment.time.end > slot.end) {
      return nameOf(segment) + " has samples outside its slot";
    }
  }
  return std::nullopt;
}

// Segments whose time range contains the current time, by group. Within a group the intervals are
// disjoint.
using OpenSegments = std::map<std::int64_t, std::map<std::uint64_t, const CompactionSegment*>>;

const CompactionSegment* findMet(const OpenSegments& open, const Sharing& sharing,
                                 const CompactionSegment& segment) {
  for (const auto& [group, intervals] : open) {
    if (!sharing.canShare(group, groupOf(segment))) continue;
    const auto after = intervals.upper_bound(segment.seqMax);
    if (after == intervals.begin()) continue;
    const CompactionSegment& before = *std::prev(after)->second;
    if (before.seqMax >= segment.seqMin) return &before;
  }
  return nullptr;
}

using SegmentsByNumber = std::unordered_map<std::uint64_t, const CompactionSegment*>;

// For plans that remove samples: all older samples at the same times must go, too.
std::optional<std::string> findUncovered(const CompactionState& state,
                                         const SegmentsByNumber& inputs) {
  const Sharing sharing(state);
  for (const CompactionSegment& stays : state.segments) {
    if (inputs.contains(stays.number)) continue;
    for (const auto& [number, goes] : inputs) {
      if (stays.seqMin < goes->seqMin && overlaps(stays.time, goes->time) &&
          sharing.canShare(groupOf(stays), groupOf(*goes))) {
        return nameOf(stays) + " would reveal samples that " + nameOf(*goes) + " overwrote";
      }
    }
  }
  return std::nullopt;
}

std::optional<std::string> findBetween(const CompactionState& state, const CompactionPlan& plan,
                                       const SegmentsByNumber& inputs) {
  const Sharing sharing(state);
  std::vector<const CompactionSegment*> all;
  std::unordered_set<std::int64_t> groups;
  for (const auto& [_, segment] : inputs) {
    all.push_back(segment);
    groups.insert(groupOf(*segment));
    if (segment->isDamaged) return nameOf(*segment) + " is damaged";
    if (segment->seqMin < plan.seqMin || segment->seqMax > plan.seqMax) {
      return nameOf(*segment) + " lies outside the interval of the plan";
    }
  }
  if (inputs.size() == 1) return std::nullopt;
  const TimeRange time = timeOf(all);
  for (const CompactionSegment& segment : state.segments) {
    if (inputs.contains(segment.number) || !overlaps(segment.time, time)) continue;
    if (!meetsInterval(segment, plan.seqMin, plan.seqMax)) continue;
    const bool isShared = std::any_of(groups.begin(), groups.end(), [&](std::int64_t group) {
      return sharing.canShare(group, groupOf(segment));
    });
    if (isShared) return nameOf(segment) + " lies between the inputs";
  }
  return std::nullopt;
}

// Checks that each input exists and is named once.
std::optional<std::string> findInputs(const CompactionState& state, const CompactionPlan& plan,
                                      SegmentsByNumber& inputs) {
  SegmentsByNumber there;
  for (const CompactionSegment& segment : state.segments) there[segment.number] = &segment;
  for (const std::uint64_t number : plan.inputs) {
    const auto found = there.find(number);
    if (found == there.end()) return "#" + std::to_string(number) + " is not there";
    if (!inputs.emplace(number, found->second).second) {
      return "#" + std::to_string(number) + " is taken twice";
    }
  }
  return std::nullopt;
}

}  // namespace

std::optional<std::string> findDisorder(const CompactionState& state) {
  if (auto broken = findBroken(state)) return broken;
  const Sharing sharing(state);
  std::vector<const CompactionSegment*> byStart;
  for (const CompactionSegment& segment : state.segments) byStart.push_back(&segment);
  std::sort(byStart.begin(), byStart.end(),
            [](const auto* a, const auto* b) { return a->time.start < b->time.start; });
  const auto endsLater = [](const auto* a, const auto* b) { return a->time.end > b->time.end; };
  std::priority_queue<const CompactionSegment*, std::vector<const CompactionSegment*>,
                      decltype(endsLater)>
      byEnd(endsLater);
  OpenSegments open;
  for (const CompactionSegment* segment : byStart) {
    for (; !byEnd.empty() && byEnd.top()->time.end < segment->time.start; byEnd.pop()) {
      open[groupOf(*byEnd.top())].erase(byEnd.top()->seqMin);
    }
    if (const CompactionSegment* met = findMet(open, sharing, *segment)) {
      return nameOf(*met) + " and " + nameOf(*segment) + " overlap in time and in interval";
    }
    open[groupOf(*segment)].emplace(segment->seqMin, segment);
    byEnd.push(segment);
  }
  return std::nullopt;
}

std::optional<std::string> findFault(const CompactionState& state, const CompactionPlan& plan) {
  SegmentsByNumber inputs;
  if (auto unfit = findInputs(state, plan, inputs)) return unfit;
  if (plan.kind == CompactionKind::kNone || plan.kind == CompactionKind::kRaise) {
    return inputs.empty() ? std::nullopt : std::optional<std::string>("it has inputs");
  }
  if (inputs.empty()) return "it has no inputs";
  if (plan.kind == CompactionKind::kDrop || plan.takesExpired) {
    if (auto uncovered = findUncovered(state, inputs)) return uncovered;
  }
  if (plan.kind == CompactionKind::kDrop) return std::nullopt;
  return findBetween(state, plan, inputs);
}

}  // namespace seriesdb
