// When the log is synced: with each batch, or so often as `fsync_interval_ms` says.
#pragma once

#include <algorithm>
#include <cstdint>

#include "state/engine_options.h"

namespace seriesdb {

// Times are milliseconds of one monotonic clock. Not thread-safe.
class SyncSchedule {
 public:
  SyncSchedule(FsyncPolicy policy, std::uint64_t intervalMs)
      : intervalMs_(policy == FsyncPolicy::kInterval ? intervalMs : 0) {}

  // Whether to sync now; if so, the next interval begins.
  bool isDue(std::uint64_t nowMs) {
    if (restMs(nowMs) > 0) return false;
    lastMs_ = nowMs;
    return true;
  }
  // How long what was written now may wait for its sync.
  std::uint64_t restMs(std::uint64_t nowMs) const {
    return intervalMs_ - std::min(intervalMs_, nowMs - lastMs_);
  }

 private:
  std::uint64_t intervalMs_;
  std::uint64_t lastMs_ = 0;
};

}  // namespace seriesdb
