#include "storage/state/task_pool.h"

#include <optional>
#include <utility>

namespace seriesdb {

TaskPool::TaskPool(std::size_t threadCount, WorkPace* pace)
    : pace_(pace), threadCount_(threadCount) {
  for (std::size_t i = 0; i < threadCount; ++i) threads_.emplace_back([this] { run(); });
}

TaskPool::~TaskPool() { stop(); }

bool TaskPool::post(std::function<void()> task) {
  const std::lock_guard lock(mutex_);
  if (isStopping_) return false;
  tasks_.push_back(std::move(task));
  wake_.notify_one();
  return true;
}

void TaskPool::stop() {
  {
    const std::lock_guard lock(mutex_);
    isStopping_ = true;
    wake_.notify_all();
  }
  for (auto& thread : threads_) {
    if (thread.joinable()) thread.join();
  }
}

void TaskPool::run() {
  std::optional<PacedThread> paced;
  if (pace_ != nullptr) paced.emplace(*pace_);
  for (;;) {
    std::function<void()> task;
    {
      std::unique_lock lock(mutex_);
      wake_.wait(lock, [this] { return !tasks_.empty() || isStopping_; });
      if (tasks_.empty()) return;
      task = std::move(tasks_.front());
      tasks_.pop_front();
    }
    if (paced) paced->begin();
    task();
    if (paced) paced->end();
  }
}

}  // namespace seriesdb
