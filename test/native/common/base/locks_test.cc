// LockWaits counts the threads that wait for a lock, and no others.
#include "common/base/locks.h"

#include <atomic>
#include <chrono>
#include <memory>
#include <mutex>
#include <shared_mutex>
#include <thread>

#include "harness.h"

using namespace seriesdb;

namespace {

// Holds `held` until the other thread reaches its own lock, and a moment longer. The scheduler
// decides whether it waits by then, so the test retries until it did.
template <typename Hold, typename Take>
void waitOnce(const LockWaits& waits, Hold hold, Take take) {
  for (int round = 0; round < 1000 && waits.count.load() == 0; ++round) {
    std::atomic<bool> isHeld = false;
    std::atomic<bool> isComing = false;
    std::thread holder([&] {
      const auto held = hold();
      isHeld = true;
      while (!isComing) std::this_thread::yield();
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    });
    while (!isHeld) std::this_thread::yield();
    isComing = true;
    take();
    holder.join();
  }
  EXPECT(waits.count.load() > 0);
  EXPECT(waits.nanos.load() > 0);
}

TEST("only a thread that waits for a lock is counted") {
  std::mutex mutex;
  LockWaits waits;
  for (int i = 0; i < 100; ++i) lockCounting(mutex, waits).unlock();
  EXPECT(waits.count.load() == 0);
  const auto lock = [&] { return lockCounting(mutex, waits); };
  waitOnce(waits, lock, [&] { lock().unlock(); });
}

TEST("readers that wait for a writer are counted") {
  SharedMutex mutex;
  { const std::shared_lock one(mutex); }
  { const std::unique_lock one(mutex); }
  EXPECT(mutex.waits().count.load() == 0);
  waitOnce(
      mutex.waits(), [&] { return std::unique_lock(mutex); },
      [&] { const std::shared_lock one(mutex); });
}

TEST("a writer that waits for readers is counted in the shared wait counter") {
  const auto waits = std::make_shared<LockWaits>();
  SharedMutex mutex(waits);
  waitOnce(
      *waits, [&] { return std::shared_lock(mutex); }, [&] { const std::unique_lock one(mutex); });
}

}  // namespace
