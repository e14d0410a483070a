// Threads that run queries, apart from libuv's. Tasks run in the order given.
//
// So that queries leave room to ingest, the threads keep a pace together.
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

#include "base/work_pace.h"

namespace seriesdb {

class TaskPool {
 public:
  // With a pace, the threads keep it (see PacedThread), which must outlive the pool.
  explicit TaskPool(std::size_t threadCount, WorkPace* pace = nullptr);
  ~TaskPool();
  std::size_t threadCount() const { return threadCount_; }
  // False, and nothing runs, once the pool was stopped.
  bool post(std::function<void()> task);
  // Runs what was posted, then ends the threads. Idempotent.
  void stop();

 private:
  void run();

  WorkPace* const pace_;
  const std::size_t threadCount_;
  std::mutex mutex_;
  std::condition_variable wake_;
  std::deque<std::function<void()>> tasks_;
  bool isStopping_ = false;
  std::vector<std::thread> threads_;
};

}  // namespace seriesdb
