// How often, and how long, threads waited for a lock that several share. Any thread.
//
// A lock that is free costs one attempt more than without counting; only who waits is counted.
#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>

#include "base/clock.h"

namespace seriesdb {

struct LockWaits {
  std::atomic<std::uint64_t> count{0};
  std::atomic<std::uint64_t> nanos{0};

  void record(std::uint64_t waited) {
    count.fetch_add(1, std::memory_order_relaxed);
    nanos.fetch_add(waited, std::memory_order_relaxed);
  }
};

// Takes what `isFree` does not get at once by `wait`.
template <typename IsFree, typename Wait>
void takeCounting(LockWaits& waits, IsFree isFree, Wait wait) {
  if (isFree()) return;
  const std::uint64_t began = monotonicNanos();
  wait();
  waits.record(monotonicNanos() - began);
}

inline std::unique_lock<std::mutex> lockCounting(std::mutex& mutex, LockWaits& waits) {
  std::unique_lock lock(mutex, std::defer_lock);
  takeCounting(waits, [&] { return lock.try_lock(); }, [&] { lock.lock(); });
  return lock;
}

}  // namespace seriesdb
