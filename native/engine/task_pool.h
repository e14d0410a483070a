// Threads that run queries, apart from libuv's. Tasks run in the order given.
//
// Where the machine has too few cores for queries and ingest, the threads keep a pace.
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

#include "base/work_pace.h"

namespace seriesdb {

class TaskPool {
 public:
  // With surroundings, each thread has a pace (see WorkPace::giveWay) and keeps it between tasks.
  explicit TaskPool(std::size_t threadCount,
                    std::optional<PaceSurroundings> surroundings = std::nullopt);
  ~TaskPool();
  std::size_t threadCount() const { return threadCount_; }
  // False, and nothing runs, once the pool was stopped.
  bool post(std::function<void()> task);
  // Runs what was posted, then ends the threads. Idempotent.
  void stop();

 private:
  void run();
  void runTasks(WorkPace* pace);

  const std::optional<PaceSurroundings> surroundings_;
  const std::size_t threadCount_;
  std::mutex mutex_;
  std::condition_variable wake_;
  std::deque<std::function<void()>> tasks_;
  bool isStopping_ = false;
  std::vector<std::thread> threads_;
};

}  // namespace seriesdb
