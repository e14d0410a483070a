// Long work of the engine that was asked for, as who asked sees it while another thread does it,
// and what came of it.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

namespace seriesdb {

struct CompactionReport {
  std::uint64_t segmentsBefore = 0;
  std::uint64_t segmentsAfter = 0;
  std::uint64_t bytesBefore = 0;
  std::uint64_t bytesAfter = 0;
};

struct MigrationReport {
  std::uint64_t segments = 0;  // That have their hash for a name now.
  std::uint64_t bytes = 0;
  std::uint64_t tags = 0;      // That are in REFS now.
  std::uint64_t left = 0;      // Segments that cannot be read, and so stay as they are.
};

struct TaskFigures {
  std::uint64_t segments = 0;   // There are now; of a migration, are to have another name yet.
  std::uint64_t bytesRead = 0;
  std::uint64_t bytesLeft = 0;  // To be read, as far as can be foreseen.
};

// Between who asked and the thread that does it. Thread-safe.
class TaskWatch {
 public:
  // None before its turn has come.
  std::optional<TaskFigures> figures() const {
    const std::lock_guard lock(mutex_);
    return figures_;
  }
  void show(const TaskFigures& figures) {
    const std::lock_guard lock(mutex_);
    figures_ = figures;
  }
  // Nobody waits for it any more: it ends soon, and what was done stays.
  void giveUp() { isGivenUp_.store(true, std::memory_order_relaxed); }
  bool isGivenUp() const { return isGivenUp_.load(std::memory_order_relaxed); }

 private:
  mutable std::mutex mutex_;
  std::optional<TaskFigures> figures_;
  std::atomic<bool> isGivenUp_{false};
};

// What the thread that does it looks at, and where it tells how far it is. Of that thread.
class TaskControl {
 public:
  // While `isStopping` nothing goes on.
  explicit TaskControl(const std::atomic<bool>& isStopping) : isStopping_(isStopping) {}

  // What follows is for these; for none it is done of itself.
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

  // What there is, and is to be read, between two parts of the work.
  void look(std::uint64_t segments, std::uint64_t bytesLeft) {
    figures_.segments = segments;
    figures_.bytesLeft = bytesLeft;
    tell(figures_);
  }
  void beginPart(std::uint64_t bytes) {
    part_ = bytes;
    figures_.bytesLeft = std::max(figures_.bytesLeft, bytes);
  }
  // So much of the part, of as much as it is in the same measure.
  void showPart(std::uint64_t done, std::uint64_t all) const {
    if (watches_.empty() || all == 0) return;
    const double share = std::min(1.0, static_cast<double>(done) / static_cast<double>(all));
    const auto read = static_cast<std::uint64_t>(share * static_cast<double>(part_));
    tell(afterReading(std::min(read, part_)));
  }
  // `segments` as for look().
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
  TaskFigures figures_;      // Before the part that is done now.
  std::uint64_t part_ = 0;
};

}  // namespace seriesdb
