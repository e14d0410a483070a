// Lets threads give way: while more urgent work is busy on other threads, they work only a part of
// their time. Short work is never held up, since threads that rested may work a while before they
// must rest.
//
// For machines with too few cores for both. A sleep frees a core at once and does not depend on the
// system's scheduler, which gives a thread of low priority a whole slice before it lets one that
// woke up run.
//
// The threads buy their work in stretches, from a seller who is paid in time (the generic cell rate
// algorithm of ITU-T I.371): each stretch moves the moment when all that was sold is paid, and who
// buys sleeps until that moment. So threads take turns and do not wake up together.
#pragma once

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
  // While the urgent work is busy, the threads together work so many hundredths of a core's time.
  WorkPace(PaceSurroundings surroundings, std::uint32_t percent);
  WorkPace(const WorkPace&) = delete;
  WorkPace& operator=(const WorkPace&) = delete;

 private:
  friend class PacedThread;

  // A stretch for a thread that has worked so many nanoseconds more than it bought. Says how long
  // it must sleep before.
  std::uint64_t buy(std::uint64_t now, std::uint64_t overdrawn);
  bool isUrgentBusy(std::uint64_t now);

  const PaceSurroundings surroundings_;
  const std::int64_t percent_;
  std::mutex mutex_;  // Guards what follows.
  std::int64_t paidAt_;
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

  // While it lives this thread gives way to nobody, since one that is as urgent waits for it; what
  // it works then, it rests for later.
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
  std::int64_t left_ = 0;  // Nanoseconds of what was bought.
};

}  // namespace seriesdb
