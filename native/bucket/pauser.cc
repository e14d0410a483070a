#include "bucket/pauser.h"

#include <chrono>
#include <mutex>

namespace seriesdb {

bool MachinePauser::pause(std::uint64_t nanos) {
  std::unique_lock lock(mutex_);
  const auto duration = std::chrono::nanoseconds(static_cast<std::int64_t>(nanos));
  return !stopped_.wait_for(lock, duration, [this] { return isStopped_; });
}

void MachinePauser::stop() {
  {
    const std::lock_guard lock(mutex_);
    isStopped_ = true;
  }
  stopped_.notify_all();
}

}  // namespace seriesdb
