// Throttles threads: while more urgent work runs on other threads, they work only part of
// their time. Short work is not delayed: a rested thread may work a while before it must
// rest.
//
// For machines with too few cores for both. A sleep frees a core at once. It does not depend on the
// scheduler, which gives a low-priority thread a whole time slice before it runs a thread that woke
// up.
//
// The threads reserve work time by the generic cell rate algorithm (ITU-T I.371). Each reservation
// advances a shared deadline, and the thread sleeps until that deadline. So threads take turns and
// do not wake up together.
#pragma once

#include <cstdint>
#include <functional>
#include <mutex>

#include "common/base/lock_order.h"

namespace seriesdb {

// The environment of a pace; times in nanoseconds. Called from any of its threads.
struct PaceSurroundings {
  std::function<std::uint64_t()> now;  // Never goes back.
  // Total work time of the urgent work, on all its threads.
  std::function<std::uint64_t()> urgentNanos;
  std::function<void(std::uint64_t)> sleep;
};

// The pace of one pool's threads. Thread-safe.
class WorkPace {
 public:
  // While urgent work runs, the threads together use this many percent of a core.
  WorkPace(PaceSurroundings surroundings, std::uint32_t percent);
  WorkPace(const WorkPace&) = delete;
  WorkPace& operator=(const WorkPace&) = delete;

 private:
  friend class PacedThread;

  // Reserves time for a thread that has worked so many nanoseconds beyond its reservation. Returns
  // how long the thread must sleep first.
  std::uint64_t buy(std::uint64_t now, std::uint64_t overdrawn);
  bool isUrgentBusy(std::uint64_t now);

  const PaceSurroundings surroundings_;
  const std::int64_t percent_;
  OrderedMutex<LockRank::kWorkPace> mutex_;  // Guards the members below.
  std::int64_t paidAt_;
  std::uint64_t windowBegin_;
  std::uint64_t windowUrgent_;
  bool isBusy_ = false;
};

// A thread that keeps a pace. Created, used and destroyed on that thread; at most one per thread.
class PacedThread {
 public:
  explicit PacedThread(WorkPace& pace);
  ~PacedThread();
  PacedThread(const PacedThread&) = delete;
  PacedThread& operator=(const PacedThread&) = delete;

  // Call around each task. begin() may sleep.
  void begin();
  void end();
  // Call within a task, at least every millisecond. May sleep, so REQUIRES that no lock is held.
  void step();

  // step() of this thread, if it keeps a pace.
  static void giveWay();

  // While it lives, this thread is not throttled, because an urgent thread waits for it. The time
  // is charged later.
  class Hurry {
   public:
    Hurry();
    ~Hurry();
    Hurry(const Hurry&) = delete;
    Hurry& operator=(const Hurry&) = delete;

   private:
    PacedThread* const paced_;
  };

 private:
  void account();
  void rest();

  WorkPace& pace_;
  std::uint64_t workedTo_;
  std::int64_t left_ = 0;  // Nanoseconds of reserved time.
};

}  // namespace seriesdb
