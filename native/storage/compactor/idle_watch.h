// How long the engine has been idle, for work that waits for idle time. Activity between two looks
// counts as of the later look, so the result is never too long. One thread only.
#pragma once

#include <cstdint>
#include <optional>

#include "common/base/time_source.h"
#include "storage/state/engine_figures.h"

namespace seriesdb {

class IdleWatch {
 public:
  // Both must outlive it.
  IdleWatch(const TimeSource& time, const EngineFigures& figures)
      : time_(time), figures_(figures) {}

  // Milliseconds of idle time until now, by the clock `time`.
  std::uint64_t look() {
    const std::uint64_t now = time_.monotonicMs();
    const std::uint64_t seen = activity();
    if (seen_ != seen) busyMs_ = now;
    seen_ = seen;
    return now - busyMs_;
  }

 private:
  // Grows with all work for clients before they get their answers, so the next look sees it. Long
  // reads count while they run.
  std::uint64_t activity() const {
    const Counters& counters = figures_.counters;
    std::uint64_t sum = 0;
    for (const Stage stage : {Stage::kParse, Stage::kRangeRead, Stage::kDiscovery, Stage::kCompare,
                              Stage::kAnnotations}) {
      sum += figures_.stages.of(stage).sumNanos();
    }
    for (const auto* count : {&counters.walAppends, &counters.reads, &counters.compareQueries,
                              &counters.annotationQueries}) {
      sum += count->load(std::memory_order_relaxed);
    }
    return sum;
  }

  const TimeSource& time_;
  const EngineFigures& figures_;
  std::optional<std::uint64_t> seen_;
  std::uint64_t busyMs_ = 0;
};

}  // namespace seriesdb
