// Answers of the committer that wait until the bucket has their records.
//
// They are given in the order of the log by a thread of their own, so neither the committer nor the
// shipper waits for them. An answer that waits too long is given as not known: its records may be
// in the bucket, or may come there.
#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <thread>

#include "common/base/lock_order.h"
#include "common/base/status.h"
#include "shipping/wal_tail.h"
#include "storage/state/log_copy.h"

namespace seriesdb {

class Acknowledgements {
 public:
  // An answer waits so long at most.
  explicit Acknowledgements(std::uint64_t waitMs);
  ~Acknowledgements();
  Acknowledgements(const Acknowledgements&) = delete;
  Acknowledgements& operator=(const Acknowledgements&) = delete;

  // Any thread. Calls `answer` at once if the bucket has everything up to `end`, or none will come.
  void add(const WalPlace& end, LogCopy::Answer answer);
  // The bucket has the records before `place`.
  void note(const WalPlace& place);
  // No more records come: answers that wait, and later ones, fail with this.
  void end(const Status& why);
  // end(), unless it was called before, and joins the thread. Idempotent.
  void stop();

  std::uint64_t waitingCount() const;
  // Answers that were given as not known.
  std::uint64_t unavailableCount() const { return unavailable_.load(std::memory_order_relaxed); }

 private:
  struct Waiting {
    WalPlace end;
    std::uint64_t untilNanos;
    LogCopy::Answer answer;
  };

  void run();
  bool isDue() const;

  const std::uint64_t waitNanos_;
  mutable OrderedMutex<LockRank::kAnswers> mutex_;
  OrderedCondition wake_;
  std::deque<Waiting> waiting_;
  WalPlace copied_;
  Status ended_;  // Not ok: the failure of all answers.
  bool isStopping_ = false;
  std::atomic<std::uint64_t> unavailable_{0};
  std::thread thread_;
};

}  // namespace seriesdb
