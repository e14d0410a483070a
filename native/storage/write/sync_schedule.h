// Decides when the WAL is synced: with each batch, or every `fsync_interval_ms`.
#pragma once

#include <algorithm>
#include <cstdint>

#include "storage/state/engine_options.h"

namespace seriesdb {

// Times are milliseconds of one monotonic clock. Not thread-safe.
class SyncSchedule {
 public:
  SyncSchedule(FsyncPolicy policy, std::uint64_t intervalMs)
      : intervalMs_(policy == FsyncPolicy::kInterval ? intervalMs : 0) {}

  // True if a sync is due now; the next interval then begins.
  bool isDue(std::uint64_t nowMs) {
    if (restMs(nowMs) > 0) return false;
    lastMs_ = nowMs;
    return true;
  }
  // The longest time until the sync of data written now.
  std::uint64_t restMs(std::uint64_t nowMs) const {
    return intervalMs_ - std::min(intervalMs_, nowMs - lastMs_);
  }

 private:
  std::uint64_t intervalMs_;
  std::uint64_t lastMs_ = 0;
};

}  // namespace seriesdb
