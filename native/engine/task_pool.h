// Threads that run queries, apart from libuv's. Tasks run in the order given.
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace seriesdb {

class TaskPool {
 public:
  explicit TaskPool(std::size_t threadCount);
  ~TaskPool();
  std::size_t threadCount() const { return threadCount_; }
  // False, and nothing runs, once the pool was stopped.
  bool post(std::function<void()> task);
  // Runs what was posted, then ends the threads. Idempotent.
  void stop();

 private:
  void run();

  const std::size_t threadCount_;
  std::mutex mutex_;
  std::condition_variable wake_;
  std::deque<std::function<void()>> tasks_;
  bool isStopping_ = false;
  std::vector<std::thread> threads_;
};

}  // namespace seriesdb
