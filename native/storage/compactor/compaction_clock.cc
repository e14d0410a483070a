#include "storage/compactor/compaction_clock.h"

#include <algorithm>
#include <limits>

#include "storage/compaction/ladder.h"

namespace seriesdb {

Timestamp wallOf(const EngineOptions& options) {
  return options.time->wallNanos() / (1'000'000'000 / unitsPerSecond(options.unit));
}

Timestamp presentOf(const EngineOptions& options, Timestamp newest) {
  return std::min(wallOf(options), later(newest, days(1, options.unit)));
}

Duration durationOfMs(std::uint64_t ms, TimestampUnit unit) {
  const auto passed = static_cast<std::int64_t>(ms);
  const std::int64_t perSecond = unitsPerSecond(unit);
  return perSecond >= 1000 ? passed * (perSecond / 1000) : passed / (1000 / perSecond);
}

Timestamp newestOf(const ManifestState& manifest) {
  Timestamp newest = std::numeric_limits<Timestamp>::min();
  for (const SegmentFacts& facts : manifest.segments) newest = std::max(newest, facts.tsMax);
  return newest;
}

}  // namespace seriesdb
