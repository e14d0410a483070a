#include "storage/retention/retention_classes.h"

#include <algorithm>
#include <cstdint>

#include "storage/compaction/ladder.h"

namespace seriesdb {
namespace {

// Half of the 90 years between a new class's clock and its loft (kWidestBehindNow in ladder.cc).
constexpr std::int64_t kLoftDaysMin = 45 * 365;

}  // namespace

std::vector<CompactionClass> makeClasses(const RetentionRules& rules,
                                         std::span<const CompactionClass> known, Timestamp clock,
                                         TimestampUnit unit) {
  std::uint32_t number = known.empty() ? 0 : known.back().number;
  const std::uint32_t version = known.empty() ? 1 : known.back().version + 1;
  std::vector<CompactionClass> made;
  for (const Duration keep : rules.keeps()) {
    made.push_back(makeClass(++number, version, keep, clock, unit));
  }
  return made;
}

bool hasNearLoft(std::span<const CompactionClass> classes, Timestamp clock, TimestampUnit unit) {
  const Timestamp near = later(clock, days(kLoftDaysMin, unit));
  return std::ranges::any_of(classes, [near](const auto& one) { return one.loftStart < near; });
}

std::span<const CompactionClass> classesOfToday(std::span<const CompactionClass> known) {
  std::size_t first = known.size();
  while (first > 0 && known[first - 1].version == known.back().version) --first;
  return known.subspan(first);
}

}  // namespace seriesdb
