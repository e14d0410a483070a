// How long nobody has written or asked for anything, for work that waits for that. It is seen at
// looks: what happened between two of them counts as of the later, so that the time is never too
// long. One thread's.
#pragma once

#include <cstdint>
#include <optional>

#include "storage/state/engine_state.h"

namespace seriesdb {

class IdleWatch {
 public:
  // `state` must outlive it.
  explicit IdleWatch(const EngineState& state) : state_(state) {}

  // Milliseconds up to now, by the clock of the options.
  std::uint64_t look() {
    const std::uint64_t now = state_.options.time->monotonicMs();
    const std::uint64_t seen = activity();
    if (seen_ != seen) busyMs_ = now;
    seen_ = seen;
    return now - busyMs_;
  }

 private:
  // Grows with whatever is done for others, before it is answered: who was answered is seen by the
  // next look. Long reads count for as long as they run.
  std::uint64_t activity() const {
    const Counters& counters = state_.counters;
    std::uint64_t sum = 0;
    for (const Stage stage : {Stage::kParse, Stage::kRangeRead, Stage::kDiscovery, Stage::kCompare,
                              Stage::kAnnotations}) {
      sum += state_.stages.of(stage).sumNanos();
    }
    for (const auto* count : {&counters.walAppends, &counters.reads, &counters.compareQueries,
                              &counters.annotationQueries}) {
      sum += count->load(std::memory_order_relaxed);
    }
    return sum;
  }

  const EngineState& state_;
  std::optional<std::uint64_t> seen_;
  std::uint64_t busyMs_ = 0;
};

}  // namespace seriesdb
