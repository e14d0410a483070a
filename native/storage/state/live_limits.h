// The current limits. Any thread; a change is atomic.
#pragma once

#include <mutex>

#include "common/base/lock_order.h"
#include "common/base/locks.h"
#include "storage/state/engine_options.h"

namespace seriesdb {

class LiveLimits {
 public:
  explicit LiveLimits(const EngineLimits& limits) : limits_(limits) {}
  EngineLimits current() const {
    const auto lock = lockCounting(mutex_, waits_);
    return limits_;
  }
  void replace(const EngineLimits& limits) {
    const auto lock = lockCounting(mutex_, waits_);
    limits_ = limits;
  }
  const LockWaits& waits() const { return waits_; }

 private:
  mutable OrderedMutex<LockRank::kLimits> mutex_;
  mutable LockWaits waits_;
  EngineLimits limits_;
};

}  // namespace seriesdb
