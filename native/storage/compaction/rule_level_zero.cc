// R1: moves a prefix of the L0, by age, into partitions, so that the remaining L0 are younger than
// every partition. R1 skips a damaged L0, which is then older than the partitions. Once repaired,
// skipped L0 are moved without newer ones.
#include <algorithm>
#include <string>

#include "storage/compaction/rules.h"

namespace seriesdb {
namespace {

constexpr std::int64_t kAgeHoursMax = 24;
// Bytes of an output's header, footer and fence, and the loss from cutting chunks.
constexpr std::uint64_t kOutputBytes = 512;

struct LevelZeroPrefix {
  std::vector<const CompactionSegment*> segments;
  std::uint64_t bytes = 0;
  TimeRange time{0, -1};
};

// An upper bound: one output per slot, and at most one per sample.
std::uint64_t outputsOf(const CompactionSurvey& survey, TimeRange time, std::uint64_t samples) {
  const CompactionState& state = survey.state();
  std::uint64_t outputs = 0;
  for (const CompactionClass& one : state.classes) {
    if (one.version != state.version) continue;
    const Duration width = widthOf(one.leaf, state.unit);
    // The attic counts as the slot before the leaves, the loft as the slot after them.
    const Timestamp start = std::max(time.start, earlier(one.atticEnd, 1));
    const Timestamp end = std::min(time.end, one.loftStart);
    if (start > end) {
      ++outputs;
      continue;
    }
    outputs += static_cast<std::uint64_t>(slotOf(end, width) - slotOf(start, width)) + 1;
  }
  return std::min(outputs, samples);
}

std::uint64_t estimateOf(const CompactionSurvey& survey, const LevelZeroPrefix& prefix) {
  std::uint64_t samples = 0;
  for (const CompactionSegment* segment : prefix.segments) samples += segment->samples;
  return prefix.bytes + kOutputBytes * outputsOf(survey, prefix.time, samples);
}

bool canJoin(const CompactionSurvey& survey, const LevelZeroPrefix& prefix,
             const SegmentUnit& unit) {
  const CompactionLimits& limits = survey.state().limits;
  if (prefix.segments.empty()) return true;
  if (prefix.segments.size() + unit.segments.size() > 2 * limits.factor) return false;
  if (prefix.bytes + unit.bytes > limits.segmentBytesMax) return false;
  const TimeRange time = timeOf(unit.segments);
  const TimeRange both{std::min(prefix.time.start, time.start),
                       std::max(prefix.time.end, time.end)};
  return !survey.isPartitionBetween({prefix.segments.front()->seqMin, unit.seqMax}, both);
}

void addUnit(LevelZeroPrefix& prefix, const SegmentUnit& unit) {
  prefix.segments.insert(prefix.segments.end(), unit.segments.begin(), unit.segments.end());
  prefix.bytes += unit.bytes;
  prefix.time = timeOf(prefix.segments);
}

// The oldest readable L0, as many as limits and disk space allow.
LevelZeroPrefix prefixOf(const CompactionSurvey& survey, const std::vector<SegmentUnit>& units) {
  LevelZeroPrefix prefix;
  for (const SegmentUnit& unit : units) {
    if (unit.isDamaged) {
      if (prefix.segments.empty()) continue;
      break;
    }
    if (!canJoin(survey, prefix, unit)) break;
    LevelZeroPrefix longer = prefix;
    addUnit(longer, unit);
    if (estimateOf(survey, longer) > survey.mergeRoom()) break;
    prefix = std::move(longer);
  }
  return prefix;
}

}  // namespace

std::optional<CompactionPlan> chooseLevelZero(const CompactionSurvey& survey, WakeTime& wake) {
  const CompactionState& state = survey.state();
  std::vector<SegmentUnit> units;
  appendUnits(survey.levelZero(), units);
  std::size_t count = 0;
  Duration age = 0;
  for (const SegmentUnit& unit : units) {
    if (unit.isDamaged) continue;
    if (count == 0) age = unit.segments.front()->arrivedAgo;
    count += unit.segments.size();
  }
  if (count == 0) return std::nullopt;
  const Duration ageMax = hours(kAgeHoursMax, state.unit);
  const bool isMany = count >= state.limits.factor;
  if (!isMany && age < ageMax && !state.isFull) {
    wake.after(ageMax - age);
    return std::nullopt;
  }
  const LevelZeroPrefix prefix = prefixOf(survey, units);
  if (prefix.segments.empty()) return std::nullopt;
  CompactionPlan plan = planOf(CompactionKind::kLevelZero, prefix.segments);
  plan.bytesOutEstimate = estimateOf(survey, prefix);
  plan.outputs = survey.spansOf(prefix.time);
  plan.isUrgent = count >= state.limits.levelZeroUrgent;
  plan.reason = std::to_string(count) + " L0";
  if (!isMany) plan.reason += age < ageMax ? ", asked for" : ", the oldest is a day old";
  return plan;
}

}  // namespace seriesdb
