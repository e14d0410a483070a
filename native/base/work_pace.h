// Lets threads give way: while more urgent work is busy on other threads, they work only a part of
// their time. Short work is never held up, since threads that rested may work a while before they
// must rest (a token bucket, which the threads share).
//
// For machines with too few cores for both. A sleep frees a core at once and does not depend on the
// system's scheduler, which gives a thread of low priority a whole slice before it lets one that
// woke up run.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <mutex>

namespace seriesdb {

// What a pace sees of the world; times in nanoseconds. Called from any of its threads.
struct PaceSurroundings {
  std::function<std::uint64_t()> now;  // Never goes back.
  // How long the urgent work has worked, all in all, on one or more threads.
  std::function<std::uint64_t()> urgentNanos;
  std::function<void(std::uint64_t)> sleep;
};

// Of the threads of one pool. Thread-safe.
class WorkPace {
 public:
  // While the urgent work is busy, the threads together work `fifths` fifths of one core's time.
  WorkPace(PaceSurroundings surroundings, std::uint32_t fifths);
  WorkPace(const WorkPace&) = delete;
  WorkPace& operator=(const WorkPace&) = delete;

 private:
  friend class PacedThread;

  std::uint64_t now() const { return surroundings_.now(); }
  // Time has come to `now`, and a thread has worked so long since it said so last. Says what the
  // threads may still work, in nanoseconds.
  std::int64_t account(std::uint64_t now, std::uint64_t worked);
  // Says for how long; 0: it need not.
  std::uint64_t restFor(std::uint64_t now, std::int64_t credit);
  bool isUrgentBusy(std::uint64_t now);

  const PaceSurroundings surroundings_;
  const std::int64_t fifths_;
  std::atomic<std::int64_t> credit_;  // Nanoseconds that the threads may still work.
  std::atomic<std::uint64_t> accountedAt_;
  std::mutex mutex_;  // Guards what follows.
  std::uint64_t windowBegin_;
  std::uint64_t windowUrgent_;
  bool isBusy_ = false;
};

// A thread that keeps a pace. Made, used and destroyed on that thread, which has one at most.
class PacedThread {
 public:
  explicit PacedThread(WorkPace& pace);
  ~PacedThread();
  PacedThread(const PacedThread&) = delete;
  PacedThread& operator=(const PacedThread&) = delete;

  // Around each task. begin() may sleep.
  void begin();
  void end();
  // Within a task, every millisecond or more often. May sleep, so REQUIRES that no lock is held.
  void step();

  // step() of this thread, if it keeps a pace.
  static void giveWay();

 private:
  void rest(std::uint64_t now, std::int64_t credit);

  WorkPace& pace_;
  std::uint64_t workedTo_;
};

}  // namespace seriesdb
