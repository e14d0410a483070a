// R2: neighbours of one partition become one segment when there are as many of one tier as the
// factor says, so that a sample is written once for each tier. A segment counts as of the tier of
// the largest one that is as young or younger: what stands before a larger one goes with it, so
// that tiers descend, and a partition has fewer than `factor` segments of each.
#include <algorithm>
#include <string>
#include <tuple>

#include "storage/compaction/rules.h"

namespace seriesdb {
namespace {

// The largest segment of the lowest tier; each further one is larger by the factor.
constexpr std::uint64_t kLowestTierBytes = std::uint64_t{64} << 10;

struct TierWindow {
  UnitSpan units;
  unsigned tier = 0;
};

unsigned tierOf(std::uint64_t bytes, std::uint64_t factor) {
  unsigned tier = 0;
  for (std::uint64_t bound = kLowestTierBytes; bytes >= bound && tier < 32; ++tier) {
    bound = bound > UINT64_MAX / factor ? UINT64_MAX : bound * factor;
  }
  return tier;
}

unsigned tierOf(const SegmentUnit& unit, std::uint64_t factor) {
  unsigned tier = 0;
  for (const CompactionSegment* segment : unit.segments) {
    tier = std::max(tier, tierOf(segment->bytes, factor));
  }
  return tier;
}

// The oldest units of these that are enough to be merged, within the limits; empty when none are.
UnitSpan windowIn(UnitSpan units, const CompactionLimits& limits, std::uint64_t bytesMax) {
  for (std::size_t start = 0; start < units.size(); ++start) {
    std::size_t count = 0;
    std::uint64_t bytes = 0;
    std::size_t end = start;
    for (; end < units.size(); ++end) {
      if (end > start && count + units[end].segments.size() > 2 * limits.factor) break;
      if (bytes + units[end].bytes > bytesMax) break;
      count += units[end].segments.size();
      bytes += units[end].bytes;
    }
    if (count >= limits.factor && count > 1) return units.subspan(start, end - start);
  }
  return {};
}

// The window of the lowest tier in a stretch.
std::optional<TierWindow> windowOf(UnitSpan stretch, const CompactionLimits& limits,
                               std::uint64_t bytesMax) {
  std::size_t end = stretch.size();
  while (end > 0) {
    // What comes next is of a higher one, or it would have been taken along.
    const unsigned tier = tierOf(stretch[end - 1], limits.factor);
    std::size_t start = end;
    while (start > 0 && tierOf(stretch[start - 1], limits.factor) <= tier) --start;
    const UnitSpan window = windowIn(stretch.subspan(start, end - start), limits, bytesMax);
    if (!window.empty()) return TierWindow{window, tier};
    end = start;
  }
  return std::nullopt;
}

// The lowest is the one to take.
using WindowRank = std::tuple<unsigned, std::uint64_t, std::int64_t, std::uint32_t>;

CompactionPlan planOf(const TierWindow& window, const PartitionPlace& place) {
  std::vector<const CompactionSegment*> inputs;
  for (const SegmentUnit& unit : window.units) {
    inputs.insert(inputs.end(), unit.segments.begin(), unit.segments.end());
  }
  CompactionPlan plan = planOf(CompactionKind::kTier, inputs);
  plan.outputs = {{place.classNumber, place.width, place.slot, place.slot}};
  plan.reason = std::to_string(inputs.size()) + " of tier " + std::to_string(window.tier);
  return plan;
}

}  // namespace

std::optional<CompactionPlan> chooseTier(const CompactionSurvey& survey,
                                         const std::vector<bool>& isClosing) {
  const CompactionLimits& limits = survey.state().limits;
  const std::uint64_t bytesMax = std::min(limits.segmentBytesMax, survey.mergeRoom());
  std::optional<CompactionPlan> best;
  WindowRank bestRank;
  std::vector<SegmentUnit> units;
  for (std::size_t i = 0; i < survey.partitions().size(); ++i) {
    const Partition& partition = survey.partitions()[i];
    if (isClosing[i] || partition.segments.size() < limits.factor) continue;
    const MergeScope scope{partition.range, partition.segments, partition.of->version};
    for (const UnitSpan stretch : survey.stretchesOf(scope, false, units)) {
      const std::optional<TierWindow> window = windowOf(stretch, limits, bytesMax);
      if (!window) continue;
      const PartitionPlace& place = partition.place;
      const WindowRank rank{window->tier, window->units.front().seqMin, place.slot,
                            place.classNumber};
      if (best && bestRank <= rank) continue;
      best = planOf(*window, place);
      bestRank = rank;
    }
  }
  return best;
}

}  // namespace seriesdb
