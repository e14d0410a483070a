// The query threads, separate from libuv's. Tasks run in order.
//
// The threads share a pace, so that queries leave CPU to ingest.
#pragma once

#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

#include "common/base/lock_order.h"
#include "common/base/work_pace.h"

namespace seriesdb {

class TaskPool {
 public:
  // The threads keep `pace`, if given (see PacedThread); it must outlive the pool.
  explicit TaskPool(std::size_t threadCount, WorkPace* pace = nullptr);
  ~TaskPool();
  std::size_t threadCount() const { return threadCount_; }
  // False if the pool was stopped; then nothing runs.
  bool post(std::function<void()> task);
  // Runs posted tasks, then joins the threads. Idempotent.
  void stop();

 private:
  void run();

  WorkPace* const pace_;
  const std::size_t threadCount_;
  OrderedMutex<LockRank::kTaskQueue> mutex_;
  OrderedCondition wake_;
  std::deque<std::function<void()>> tasks_;
  bool isStopping_ = false;
  std::vector<std::thread> threads_;
};

}  // namespace seriesdb
