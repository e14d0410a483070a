// R4: removes the remains of deletions and retention from segments. One edit raises all floors that
// may rise, so that tombstones can retire. A segment is rewritten in its place if many samples are
// masked, or some have been masked for long.
#include <algorithm>
#include <numeric>
#include <string>
#include <tuple>
#include <unordered_set>

#include "storage/compaction/rules.h"
#include "storage/compaction/staying_times.h"

namespace seriesdb {
namespace {

constexpr std::uint64_t kMaskedShare = 8;
constexpr std::uint64_t kExpiredShare = 4;
constexpr std::int64_t kTombstoneDaysMax = 7;
constexpr std::size_t kBlockTombstones = 64;

// Tombstones by sequence, with the time range of each block, so that a search skips blocks of other
// times.
class TombstoneTimes {
 public:
  explicit TombstoneTimes(const std::vector<CompactionTombstone>& all) : all_(all) {
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (i % kBlockTombstones == 0) blocks_.push_back(all[i].range);
      blocks_.back().start = std::min(blocks_.back().start, all[i].range.start);
      blocks_.back().end = std::max(blocks_.back().end, all[i].range.end);
    }
  }

  // The last tombstone above `floor` and up to `last` that overlaps the range; 0 if there is none.
  std::uint64_t lastBetween(std::uint64_t floor, std::uint64_t last, TimeRange range) const {
    std::size_t at = static_cast<std::size_t>(std::partition_point(
        all_.begin(), all_.end(), [&](const auto& one) { return one.sequence <= last; }) -
        all_.begin());
    while (at > 0 && all_[at - 1].sequence > floor) {
      const std::size_t block = (at - 1) / kBlockTombstones;
      if (!overlaps(blocks_[block], range)) {
        at = block * kBlockTombstones;
        continue;
      }
      if (overlaps(all_[at - 1].range, range)) return all_[at - 1].sequence;
      --at;
    }
    return 0;
  }

 private:
  const std::vector<CompactionTombstone>& all_;
  std::vector<TimeRange> blocks_;
};

std::optional<CompactionPlan> raisesOf(const CompactionState& state) {
  const TombstoneTimes tombstones(state.tombstones);
  CompactionPlan plan;
  plan.kind = CompactionKind::kRaise;
  for (const CompactionSegment& segment : state.segments) {
    const std::uint64_t last =
        segment.maskedSince > 0 ? segment.maskedSince - 1 : segment.countedThrough;
    const std::uint64_t floor = tombstones.lastBetween(segment.floor(), last, segment.time);
    if (floor > 0) plan.raises.push_back({segment.number, floor});
  }
  if (plan.raises.empty()) return std::nullopt;
  plan.reason = "deletions that mask nothing there";
  return plan;
}

// The estimated bytes of an output without this part of the input.
std::uint64_t without(std::uint64_t bytes, std::uint64_t part, std::uint64_t whole) {
  const double share = whole == 0 ? 0 : static_cast<double>(part) / static_cast<double>(whole);
  const double gone = static_cast<double>(bytes) * std::clamp(share, 0.0, 1.0);
  return bytes - std::min(bytes, static_cast<std::uint64_t>(gone));
}

bool isShare(std::uint64_t part, std::uint64_t whole, std::uint64_t share) {
  return part > 0 && part >= whole / share + (whole % share != 0);
}

class Purger {
 public:
  Purger(const CompactionSurvey& survey, WakeTime& wake)
      : survey_(survey), state_(survey.state()), wake_(wake) {
    const std::uint64_t refs =
        std::accumulate(state_.tombstones.begin(), state_.tombstones.end(), std::uint64_t{0},
                        [](std::uint64_t sum, const auto& one) { return sum + one.refs; });
    isCrowded_ = refs >= state_.limits.tombstoneRefsMax / 2;
    findExpired();
  }

  std::optional<CompactionPlan> choose() {
    const CompactionSegment* first = nullptr;
    for (const CompactionSegment& one : state_.segments) {
      if (one.isDamaged || reasonOf(one) == nullptr) continue;
      if (estimateOf(one) > survey_.purgeRoom()) continue;
      if (first == nullptr || rankOf(one) < rankOf(*first)) first = &one;
    }
    if (first == nullptr) return std::nullopt;
    CompactionPlan plan = planOf(CompactionKind::kPurge, SegmentSpan(&first, 1));
    plan.bytesOutEstimate = estimateOf(*first);
    plan.form = CompactionForm::kLevelZero;
    if (first->place) {
      plan.form = first->isFinal ? CompactionForm::kFinal : CompactionForm::kTier;
      const PartitionPlace& place = *first->place;
      plan.outputs = {{place.classNumber, place.width, place.slot, place.slot}};
    }
    plan.reason = reasonOf(*first);
    plan.takesExpired = expired_.contains(first->number);
    if (plan.takesExpired) plan.expiredBytes = first->expiredBytes;
    return plan;
  }

 private:
  static std::tuple<std::uint64_t, std::optional<PartitionPlace>, std::uint64_t> rankOf(
      const CompactionSegment& one) {
    return {one.seqMin, one.place, one.number};
  }

  // Finds segments that may lose expired samples in this pass. A segment qualifies only without
  // older segments at its times, whose overwritten samples would reappear.
  void findExpired() {
    if (state_.isRetentionDone) return;
    const auto isWorth = [](const CompactionSegment& one) {
      return isShare(one.expiredBytes, one.bytes, kExpiredShare);
    };
    if (std::none_of(state_.segments.begin(), state_.segments.end(), isWorth)) return;
    std::vector<const CompactionSegment*> ordered;
    std::uint64_t stored = 0;
    for (const CompactionSegment& one : state_.segments) {
      ordered.push_back(&one);
      stored += one.bytes;
    }
    std::sort(ordered.begin(), ordered.end(),
              [](const auto* a, const auto* b) { return rankOf(*a) < rankOf(*b); });
    StayingTimes older(survey_);
    for (const CompactionSegment* one : ordered) {
      const std::uint64_t purged = state_.purgedExpired + one->expiredBytes;
      const bool isRoom = state_.purgedExpired == 0 || purged <= stored / kRetentionShare;
      if (isWorth(*one) && isRoom && !older.meets(*one)) expired_.insert(one->number);
      older.add(*one);
    }
  }

  // Null if the segment stays as it is for now.
  const char* reasonOf(const CompactionSegment& segment) {
    if (expired_.contains(segment.number)) return "1/4 past its keep";
    if (segment.maskedSamples == 0) return nullptr;
    if (isShare(segment.maskedSamples, segment.samples, kMaskedShare)) return "1/8 masked";
    if (isCrowded_) return "deletions fill half their room";
    if (state_.isFull) return "masked, asked for";
    // If a later tombstone has replaced this one, it is the next in the list.
    const auto since = std::partition_point(
        state_.tombstones.begin(), state_.tombstones.end(),
        [&](const auto& one) { return one.sequence < segment.maskedSince; });
    if (since == state_.tombstones.end()) return nullptr;
    const Duration ageMax = days(kTombstoneDaysMax, state_.unit);
    if (since->age >= ageMax) return "masked for 7 d";
    wake_.after(ageMax - since->age);
    return nullptr;
  }

  std::uint64_t estimateOf(const CompactionSegment& segment) const {
    const std::uint64_t unmasked = without(segment.bytes, segment.maskedSamples, segment.samples);
    if (!expired_.contains(segment.number)) return unmasked;
    return std::min(unmasked, without(segment.bytes, segment.expiredBytes, segment.bytes));
  }

  const CompactionSurvey& survey_;
  const CompactionState& state_;
  WakeTime& wake_;
  bool isCrowded_ = false;
  std::unordered_set<std::uint64_t> expired_;  // Numbers.
};

}  // namespace

std::optional<CompactionPlan> choosePurge(const CompactionSurvey& survey, WakeTime& wake) {
  if (auto plan = raisesOf(survey.state())) return plan;
  return Purger(survey, wake).choose();
}

}  // namespace seriesdb
