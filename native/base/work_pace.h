// Lets a thread give way: while more urgent work is busy on other threads, the thread works only a
// quarter of its time. Short work is never held up, since a thread that rested may work a while
// before it must rest (a token bucket).
//
// For machines with too few cores for both. A sleep frees a core at once and does not depend on the
// system's scheduler, which gives a thread of low priority a whole slice before it lets one that
// woke up run.
#pragma once

#include <cstdint>
#include <functional>

namespace seriesdb {

// What a pace sees of the world; times in nanoseconds.
struct PaceSurroundings {
  std::function<std::uint64_t()> now;  // Never goes back.
  // How long the urgent work has worked, all in all, on one or more threads.
  std::function<std::uint64_t()> urgentNanos;
  std::function<void(std::uint64_t)> sleep;
};

// Of one thread.
class WorkPace {
 public:
  explicit WorkPace(PaceSurroundings surroundings);
  WorkPace(const WorkPace&) = delete;
  WorkPace& operator=(const WorkPace&) = delete;

  // Around each task. begin() may sleep.
  void begin();
  void end() { account(true); }
  // Within a task, every millisecond or more often. May sleep, so REQUIRES that no lock is held.
  void step();

  // step() of the pace that this thread has, if it has one.
  static void giveWay();
  // The pace that giveWay() finds on this thread until it is set to another or to null.
  static void setOfThread(WorkPace* pace);

 private:
  void account(bool hasWorked);
  void rest();
  bool isUrgentBusy();

  const PaceSurroundings surroundings_;
  std::int64_t credit_;  // Nanoseconds that the thread may still work.
  std::uint64_t accountedAt_;
  std::uint64_t windowBegin_;
  std::uint64_t windowUrgent_;
  bool isBusy_ = false;
};

}  // namespace seriesdb
