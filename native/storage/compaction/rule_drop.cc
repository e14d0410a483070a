// R0: drops whole segments when all their series are past their keep. A segment goes only with or
// after every older segment that may share a series at its times. Otherwise samples that it
// overwrote would reappear.
//
// A pass drops an eighth of the stored bytes or one slot of each class, whichever is more. So if a
// clock jumps, its harm comes in steps that an operator can notice.
#include <algorithm>
#include <map>
#include <numeric>
#include <string>
#include <tuple>

#include "storage/compaction/choose.h"
#include "storage/compaction/rules.h"
#include "storage/compaction/staying_times.h"

namespace seriesdb {
namespace {

using SegmentList = std::vector<const CompactionSegment*>;

class Dropper {
 public:
  explicit Dropper(const CompactionSurvey& survey) : survey_(survey), state_(survey.state()) {
    bool isKept = false;
    for (const CompactionClass& one : state_.classes) {
      if (one.version != state_.version) continue;
      longest_ = isKept ? std::max(longest_, one.keep) : one.keep;
      isKept = true;
    }
  }

  WithheldDrops withheld() {
    sort();
    const SegmentList going = goingOf(isAny);
    const SegmentList whole = goingOf(isAny, [](const auto& one) { return !one.isDamaged; });
    WithheldDrops found;
    found.count = whole.size() - std::min(whole.size(), going.size());
    if (found.count == 0) return found;
    // A damaged segment overlaps the oldest withheld segment directly, not through another one.
    const auto isGoing = [&going](const auto* one) {
      return std::find(going.begin(), going.end(), one) != going.end();
    };
    const CompactionSegment& first = **std::find_if_not(whole.begin(), whole.end(), isGoing);
    const auto by = std::find_if(ordered_.begin(), ordered_.end(), [&](const auto* one) {
      return one->isDamaged && !isGoing(one) && overlaps(one->time, first.time);
    });
    if (by != ordered_.end()) found.by = (*by)->number;
    return found;
  }

  std::optional<CompactionPlan> choose() {
    const bool isAnyPast =
        std::any_of(state_.segments.begin(), state_.segments.end(),
                    [&](const CompactionSegment& one) { return isPast(one); });
    if (!isAnyPast) return std::nullopt;
    sort();
    const SegmentList all = goingOf(isAny);
    const SegmentList now = bytesOf(all) <= passBytes() ? all : passOf(all);
    if (now.empty()) return std::nullopt;
    CompactionPlan plan = planOf(CompactionKind::kDrop, now);
    plan.bytesOutEstimate = 0;
    plan.isUrgent = true;
    plan.reason = "past their keep";
    plan.deferred = all.size() - now.size();
    if (plan.deferred > 0) {
      plan.reason += ", " + std::to_string(plan.deferred) + " more at the next pass";
    }
    return plan;
  }

 private:
  // The segment stays until the retention clock is later than this; kForever: it always stays.
  Timestamp staysUntil(const CompactionSegment& segment) const {
    Duration keep = longest_;
    if (segment.place && survey_.classOf(segment).version == state_.version) {
      keep = survey_.classOf(segment).keep;
    } else if (segment.keepToday) {
      keep = *segment.keepToday;
    }
    return keep == kForever ? kForever : later(segment.time.end, keep);
  }
  bool isPast(const CompactionSegment& segment) const {
    return staysUntil(segment) < state_.retentionClock;
  }

  static bool isAny(const CompactionSegment&) { return true; }
  void sort() {
    for (const CompactionSegment& segment : state_.segments) ordered_.push_back(&segment);
    std::sort(ordered_.begin(), ordered_.end(),
              [](const CompactionSegment* a, const CompactionSegment* b) {
                return std::tie(a->seqMin, a->number) < std::tie(b->seqMin, b->number);
              });
  }

  // Allowed segments past their keep that overlap no older segment that stays and counts.
  template <typename Allowed, typename Counts = bool (*)(const CompactionSegment&)>
  SegmentList goingOf(const Allowed& isAllowed, const Counts& counts = isAny) const {
    StayingTimes staying(survey_);
    SegmentList going;
    for (const CompactionSegment* segment : ordered_) {
      if (isPast(*segment) && isAllowed(*segment) && !staying.meets(*segment)) {
        going.push_back(segment);
      } else if (counts(*segment)) {
        staying.add(*segment);
      }
    }
    return going;
  }

  static std::uint64_t bytesOf(const SegmentList& segments) {
    return std::accumulate(segments.begin(), segments.end(), std::uint64_t{0},
                           [](std::uint64_t sum, const auto* one) { return sum + one->bytes; });
  }
  std::uint64_t passBytes() const {
    const std::uint64_t share = bytesOf(ordered_) / kRetentionShare;
    return share - std::min(share, state_.purgedExpired);
  }

  SegmentList passOf(const SegmentList& all) const {
    const SegmentList slots = lowestSlots(all);
    const SegmentList share = oldestShare(all);
    return bytesOf(slots) < bytesOf(share) ? share : slots;
  }

  // L0 count as one class with the widest slots.
  std::pair<std::int64_t, std::int64_t> classSlotOf(const CompactionSegment& segment) const {
    if (segment.place) return {segment.place->classNumber, segment.place->slot};
    return {-1, slotOf(segment.time.end, widthOf(kWidestSlot, state_.unit))};
  }
  SegmentList lowestSlots(const SegmentList& all) const {
    std::map<std::int64_t, std::int64_t> lowest;
    for (const CompactionSegment* segment : all) {
      const auto [number, slot] = classSlotOf(*segment);
      const auto [at, isNew] = lowest.emplace(number, slot);
      if (!isNew) at->second = std::min(at->second, slot);
    }
    return goingOf([&](const CompactionSegment& segment) {
      const auto [number, slot] = classSlotOf(segment);
      const auto found = lowest.find(number);
      return found != lowest.end() && found->second == slot;
    });
  }

  // The result of the rule with an earlier retention clock: the latest clock at which the result
  // fits into the pass.
  SegmentList oldestShare(const SegmentList& all) const {
    std::vector<Timestamp> ends;
    for (const CompactionSegment* segment : all) ends.push_back(staysUntil(*segment));
    std::sort(ends.begin(), ends.end());
    const auto until = [&](Timestamp end) {
      return goingOf([&](const CompactionSegment& one) { return staysUntil(one) <= end; });
    };
    const auto tooMany = std::partition_point(ends.begin(), ends.end(), [&](Timestamp end) {
      return bytesOf(until(end)) <= passBytes();
    });
    return tooMany == ends.begin() ? SegmentList{} : until(*std::prev(tooMany));
  }

  const CompactionSurvey& survey_;
  const CompactionState& state_;
  Duration longest_ = kForever;  // The longest keep of today's classes.
  SegmentList ordered_;          // All segments, ordered by interval.
};

}  // namespace

std::optional<CompactionPlan> chooseDrop(const CompactionSurvey& survey) {
  if (survey.state().isRetentionDone) return std::nullopt;
  return Dropper(survey).choose();
}

WithheldDrops findWithheld(const CompactionState& state) {
  const auto isDamaged = [](const CompactionSegment& one) { return one.isDamaged; };
  if (std::none_of(state.segments.begin(), state.segments.end(), isDamaged)) return {};
  const CompactionSurvey survey(state);
  return Dropper(survey).withheld();
}

}  // namespace seriesdb
