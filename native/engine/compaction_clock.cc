#include "engine/compaction_clock.h"

#include <algorithm>

#include "base/clock.h"
#include "compaction/ladder.h"

namespace seriesdb {

Timestamp wallOf(const EngineState& state) {
  return wallNanos() / (1'000'000'000 / unitsPerSecond(state.options.unit));
}

Timestamp presentOf(const EngineState& state, Timestamp newest) {
  return std::min(wallOf(state), later(newest, days(1, state.options.unit)));
}

Timestamp newestOf(const ManifestState& manifest) {
  Timestamp newest = std::numeric_limits<Timestamp>::min();
  for (const SegmentFacts& facts : manifest.segments) newest = std::max(newest, facts.tsMax);
  return newest;
}

}  // namespace seriesdb
