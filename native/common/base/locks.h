// Locks of several threads that count waits and their time. A free lock costs nothing extra; only
// waiters count.
#pragma once

#include <pthread.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <utility>

#include "common/base/check.h"
#include "common/base/clock.h"

namespace seriesdb {

// Any thread.
struct LockWaits {
  std::atomic<std::uint64_t> count{0};
  std::atomic<std::uint64_t> nanos{0};

  void record(std::uint64_t waited) {
    count.fetch_add(1, std::memory_order_relaxed);
    nanos.fetch_add(waited, std::memory_order_relaxed);
  }
};

// Calls `wait` if `isFree` fails to take the lock at once.
template <typename IsFree, typename Wait>
void takeCounting(LockWaits& waits, IsFree isFree, Wait wait) {
  if (isFree()) return;
  const std::uint64_t began = monotonicNanos();
  wait();
  waits.record(monotonicNanos() - began);
}

template <typename Mutex>
std::unique_lock<Mutex> lockCounting(Mutex& mutex, LockWaits& waits) {
  // An OrderedMutex (lock_order.h) checks no attempt, but this one may wait.
  if constexpr (requires { Mutex::checkOrder(); }) Mutex::checkOrder();
  std::unique_lock lock(mutex, std::defer_lock);
  takeCounting(waits, [&] { return lock.try_lock(); }, [&] { lock.lock(); });
  return lock;
}

// A reader-writer lock whose readers cannot starve a writer: while a writer waits, new readers wait
// too. std::shared_mutex prefers readers on Linux: a few threads that read without a pause would
// block the committer for ever.
//
// For std::shared_lock and std::unique_lock. Not recursive for readers.
class SharedMutex {
 public:
  // `waits` may be shared by several successive locks; otherwise the lock counts for itself.
  explicit SharedMutex(std::shared_ptr<LockWaits> waits = std::make_shared<LockWaits>())
      : waits_(std::move(waits)) {
    pthread_rwlockattr_t attributes;
    CHECK(pthread_rwlockattr_init(&attributes) == 0);
#ifdef __GLIBC__
    // Elsewhere (musl, macOS) writers are preferred anyway.
    CHECK(pthread_rwlockattr_setkind_np(&attributes,
                                        PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP) == 0);
#endif
    CHECK(pthread_rwlock_init(&lock_, &attributes) == 0);
    pthread_rwlockattr_destroy(&attributes);
  }
  ~SharedMutex() { pthread_rwlock_destroy(&lock_); }
  SharedMutex(const SharedMutex&) = delete;
  SharedMutex& operator=(const SharedMutex&) = delete;

  void lock() {
    takeCounting(
        *waits_, [this] { return pthread_rwlock_trywrlock(&lock_) == 0; },
        [this] { CHECK(pthread_rwlock_wrlock(&lock_) == 0); });
  }
  void unlock() { pthread_rwlock_unlock(&lock_); }
  void lock_shared() {
    takeCounting(
        *waits_, [this] { return try_lock_shared(); },
        [this] { CHECK(pthread_rwlock_rdlock(&lock_) == 0); });
  }
  // False if it would wait.
  bool try_lock_shared() { return pthread_rwlock_tryrdlock(&lock_) == 0; }
  void unlock_shared() { pthread_rwlock_unlock(&lock_); }
  const LockWaits& waits() const { return *waits_; }

 private:
  const std::shared_ptr<LockWaits> waits_;
  pthread_rwlock_t lock_;
};

}  // namespace seriesdb
