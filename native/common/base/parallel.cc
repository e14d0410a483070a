#include "common/base/parallel.h"

#include <algorithm>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "common/base/lock_order.h"

namespace seriesdb {
namespace {

// Outlives the call: a helper may start after everything is done.
struct Parts {
  OrderedMutex<LockRank::kParts> mutex;
  OrderedCondition isDone;
  std::size_t next = 0;
  std::size_t finished = 0;
};

}  // namespace

void runParts(const Threads& threads, std::size_t count,
              const std::function<void(std::size_t)>& part) {
  if (count == 1) return part(0);
  const auto parts = std::make_shared<Parts>();
  // `part` is valid only while the caller waits for the taken parts.
  const auto work = [parts, count, &part] {
    std::unique_lock lock(parts->mutex);
    while (parts->next < count) {
      const std::size_t mine = parts->next++;
      lock.unlock();
      part(mine);
      lock.lock();
      if (++parts->finished == count) parts->isDone.notify_all();
    }
  };
  for (std::size_t i = 1; i < std::min(count, threads.count); ++i) {
    if (!threads.post(work)) break;
  }
  work();
  std::unique_lock lock(parts->mutex);
  parts->isDone.wait(lock, [&parts, count] { return parts->finished == count; });
}

namespace {

class OrderedRun {
 public:
  explicit OrderedRun(const OrderedParts& parts) : parts_(parts), isReady_(parts.ahead) {}

  void help() {
    std::unique_lock lock(mutex_);
    for (;;) {
      changed_.wait(lock, [this] { return isOver_ || next_ == parts_.count || mayPrepare(); });
      if (isOver_ || next_ == parts_.count) return;
      prepareNext(lock);
    }
  }
  void lead() {
    std::unique_lock lock(mutex_);
    for (; taken_ < parts_.count && !isOver_; changed_.notify_all()) {
      while (!isReady_[taken_ % parts_.ahead]) {
        if (mayPrepare()) {
          prepareNext(lock);
        } else {
          changed_.wait(lock);
        }
      }
      lock.unlock();
      const bool goesOn = parts_.take(taken_);
      lock.lock();
      isReady_[taken_ % parts_.ahead] = false;
      ++taken_;
      isOver_ = !goesOn;
    }
    isOver_ = true;
    changed_.notify_all();
  }

 private:
  bool mayPrepare() const { return next_ < parts_.count && next_ < taken_ + parts_.ahead; }
  void prepareNext(std::unique_lock<OrderedMutex<LockRank::kParts>>& lock) {
    const std::size_t mine = next_++;
    lock.unlock();
    parts_.prepare(mine);
    lock.lock();
    isReady_[mine % parts_.ahead] = true;
    changed_.notify_all();
  }

  const OrderedParts& parts_;
  OrderedMutex<LockRank::kParts> mutex_;
  OrderedCondition changed_;
  std::size_t next_ = 0;       // The next part to prepare.
  std::size_t taken_ = 0;      // The parts below it were taken; only the leader changes it.
  std::vector<bool> isReady_;  // Indexed by part number modulo the number of parts that may wait.
  bool isOver_ = false;
};

}  // namespace

void runOrdered(const OrderedParts& parts, std::size_t threadsMax) {
  const std::size_t cores = std::max(1u, std::thread::hardware_concurrency());
  runOrderedWaits(parts, std::min(cores, threadsMax));
}

void runOrderedWaits(const OrderedParts& parts, std::size_t threads) {
  OrderedRun run(parts);
  const std::size_t most = std::min(threads, parts.count);
  std::vector<std::thread> helpers;
  while (helpers.size() + 1 < most) helpers.emplace_back([&run] { run.help(); });
  run.lead();
  for (std::thread& helper : helpers) helper.join();
}

}  // namespace seriesdb
