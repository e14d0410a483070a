// Checks a query's cancellation and limits so often that it stops within about a millisecond.
#pragma once

#include <cstdint>

#include "query/samples/query_control.h"

namespace seriesdb {

// Not thread-safe.
class StepBrake {
 public:
  // Both must outlive it.
  StepBrake(const QueryLimits& limits, QueryControl& control)
      : limits_(limits), control_(control) {}

  // Counts samples that were read, and checks.
  Status count(std::uint64_t samples) {
    const Status counted = control_.count(limits_, samples);
    return counted.ok() ? spend(samples) : counted;
  }
  // `work` counts samples or steps that were processed.
  Status spend(std::uint64_t work) {
    work_ += work;
    if (work_ < kWorkOfLook) return Status::okStatus();
    work_ = 0;
    return control_.look(limits_);
  }

 private:
  // Some tens of microseconds of work.
  static constexpr std::uint64_t kWorkOfLook = 8192;

  const QueryLimits& limits_;
  QueryControl& control_;
  std::uint64_t work_ = kWorkOfLook;  // Work since the last check; the first check happens at once.
};

}  // namespace seriesdb
