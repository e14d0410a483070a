// R2: merges `factor` neighbours of one tier in a partition into one segment, so each tier writes a
// sample once. A segment counts in the highest tier of itself and all younger segments: smaller
// segments before a larger one are merged with it. So tiers descend, and a partition has fewer than
// `factor` segments of each.
#include <algorithm>
#include <string>
#include <tuple>

#include "storage/compaction/rules.h"

namespace seriesdb {
namespace {

// The largest segment of the lowest tier; each further tier is larger by the factor.
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

// The oldest units that are enough for a merge within the limits; empty if there are none.
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
    // Units before `start` are of a higher tier.
    const unsigned tier = tierOf(stretch[end - 1], limits.factor);
    std::size_t start = end;
    while (start > 0 && tierOf(stretch[start - 1], limits.factor) <= tier) --start;
    const UnitSpan window = windowIn(stretch.subspan(start, end - start), limits, bytesMax);
    if (!window.empty()) return TierWindow{window, tier};
    end = start;
  }
  return std::nullopt;
}

// The lowest rank wins.
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
