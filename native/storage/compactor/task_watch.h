// The progress and the result of a long task of the engine, shared between its requester and the
// thread that runs it.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include "common/base/lock_order.h"

namespace seriesdb {

struct CompactionReport {
  std::uint64_t segmentsBefore = 0;
  std::uint64_t segmentsAfter = 0;
  std::uint64_t bytesBefore = 0;
  std::uint64_t bytesAfter = 0;
};

struct MigrationReport {
  std::uint64_t segments = 0;  // Segments that now have their hash as name.
  std::uint64_t bytes = 0;
  std::uint64_t tags = 0;  // Tags that are now in REFS.
  std::uint64_t left = 0;  // Segments that cannot be read, and stay unchanged.
};

struct TaskFigures {
  std::uint64_t segments = 0;  // Current segments; for a migration, segments still to be renamed.
  std::uint64_t bytesRead = 0;
  std::uint64_t bytesLeft = 0;  // Bytes left to read, as far as can be predicted.
};

// Shared by the requester and the working thread. Thread-safe.
class TaskWatch {
 public:
  // Null before the task starts.
  std::optional<TaskFigures> figures() const {
    const std::lock_guard lock(mutex_);
    return figures_;
  }
  void show(const TaskFigures& figures) {
    const std::lock_guard lock(mutex_);
    figures_ = figures;
  }
  // The requester no longer waits: once this is true of all requesters, the task ends soon, and its
  // finished part stays.
  void giveUp() { isGivenUp_.store(true, std::memory_order_relaxed); }
  bool isGivenUp() const { return isGivenUp_.load(std::memory_order_relaxed); }

 private:
  mutable OrderedMutex<LockRank::kTaskWatch> mutex_;
  std::optional<TaskFigures> figures_;
  std::atomic<bool> isGivenUp_{false};
};

// The working thread's side: cancellation and progress. For the working thread only.
class TaskControl {
 public:
  // Work ends while `isStopping` is true.
  explicit TaskControl(const std::atomic<bool>& isStopping) : isStopping_(isStopping) {}

  // The following work is for these requests; empty for automatic work.
  void begin(std::vector<std::shared_ptr<TaskWatch>> watches) {
    watches_ = std::move(watches);
    figures_ = {};
    part_ = 0;
  }
  bool isOver() const {
    if (isStopping_.load(std::memory_order_relaxed)) return true;
    return !watches_.empty() &&
           std::all_of(watches_.begin(), watches_.end(),
                       [](const auto& watch) { return watch->isGivenUp(); });
  }
  bool isWatched() const { return !watches_.empty(); }

  // Sets the figures between two parts of the work.
  void look(std::uint64_t segments, std::uint64_t bytesLeft) {
    figures_.segments = segments;
    figures_.bytesLeft = bytesLeft;
    tell(figures_);
  }
  void beginPart(std::uint64_t bytes) {
    part_ = bytes;
    figures_.bytesLeft = std::max(figures_.bytesLeft, bytes);
  }
  // The progress of the current part; `done` and `all` have the same unit.
  void showPart(std::uint64_t done, std::uint64_t all) const {
    if (watches_.empty() || all == 0) return;
    const double share = std::min(1.0, static_cast<double>(done) / static_cast<double>(all));
    const auto read = static_cast<std::uint64_t>(share * static_cast<double>(part_));
    tell(afterReading(std::min(read, part_)));
  }
  // `segments` as in look().
  void endPart(std::uint64_t segments) {
    figures_ = afterReading(part_);
    figures_.segments = segments;
    part_ = 0;
    tell(figures_);
  }

 private:
  TaskFigures afterReading(std::uint64_t bytes) const {
    return {figures_.segments, figures_.bytesRead + bytes, figures_.bytesLeft - bytes};
  }
  void tell(const TaskFigures& figures) const {
    for (const auto& watch : watches_) watch->show(figures);
  }

  const std::atomic<bool>& isStopping_;
  std::vector<std::shared_ptr<TaskWatch>> watches_;
  TaskFigures figures_;  // The figures before the current part.
  std::uint64_t part_ = 0;
};

}  // namespace seriesdb
