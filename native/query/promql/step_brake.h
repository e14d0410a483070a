// Looks at the brakes of a query so often that it stops within about a millisecond.
#pragma once

#include <cstdint>

#include "query/samples/query_control.h"

namespace seriesdb {

// Of one thread.
class StepBrake {
 public:
  // Both must outlive it.
  StepBrake(const QueryLimits& limits, QueryControl& control)
      : limits_(limits), control_(control) {}

  // Counts samples that were read.
  Status count(std::uint64_t samples) {
    const Status counted = control_.count(limits_, samples);
    return counted.ok() ? spend(samples) : counted;
  }
  // `work`: of samples or steps that were looked at.
  Status spend(std::uint64_t work) {
    work_ += work;
    if (work_ < kWorkOfLook) return Status::okStatus();
    work_ = 0;
    return control_.look(limits_);
  }

 private:
  // Some tens of microseconds.
  static constexpr std::uint64_t kWorkOfLook = 8192;

  const QueryLimits& limits_;
  QueryControl& control_;
  std::uint64_t work_ = kWorkOfLook;  // Since the last look; the first is at once.
};

}  // namespace seriesdb
