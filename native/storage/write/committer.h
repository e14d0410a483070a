// The thread that writes the WAL: group commit.
//
// It takes all waiting requests, assigns refs to new series, and appends everything at once. A
// request is one record, or more for very many new series. It syncs by the fsync policy, applies
// the records to the active memtable in the same order, and then answers. So an acknowledged sample
// is in the WAL and visible; a failed request is neither.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

#include "common/base/lock_order.h"
#include "storage/write/batch_log.h"
#include "storage/write/commit_request.h"
#include "storage/write/freeze.h"
#include "storage/write/reject_writer.h"

namespace seriesdb {

class Committer {
 public:
  using Done = CommitRequest::Done;
  using Owners = CommitOwners;
  using Request = CommitRequest;

  struct Events {
    // Called on the committer's thread after each freeze.
    std::function<void()> onFrozen;
    // While the database awaits disk space: opens the WAL and starts the waiting threads. Called
    // on the committer's thread.
    std::function<Status()> resume;
  };

  // All owners must outlive it.
  Committer(const Owners& owners, Events events);
  ~Committer();

  void submit(Request request);
  // Freezes the active memtable if there is anything to flush; `done` gets the last frozen
  // sequence.
  void freeze(std::function<void(Result<std::uint64_t>)> done,
              Freezer::Cause cause = Freezer::Cause::kFlush);
  // Runs long work on the committer's thread, in turns between requests. Calls `turn` until it
  // returns false; each call must take less than a millisecond. Returns false, without a call,
  // after stop().
  using Turn = std::function<bool()>;
  bool runInTurns(Turn turn);
  // The sequence of the last applied record. Blocks for a turn, or until a stop is done.
  std::uint64_t lastSequence();
  // Finishes waiting requests, syncs and closes the WAL, joins the threads. Idempotent. A failure
  // means that acknowledged data may be missing on disk.
  Status stop();

 private:
  struct Freeze {
    std::function<void(Result<std::uint64_t>)> done;
    Freezer::Cause cause;
  };

  void run();
  void work();
  bool waitForWork(std::vector<Request>& batch, std::vector<Freeze>& freezes);
  void takeBatch(std::vector<Request>& batch);
  void takeTurn();
  void commit(std::vector<Request>& batch);
  void apply(const StagedSamples& samples);
  void noteSettled();
  template <typename Value>
  void answer(const std::function<void(Result<Value>)>& done, Value value);
  void noteArrivals(std::span<const Timestamp> ts, Timestamp greatest, Timestamp wall);
  void finish(Request& request, const Status& logged);
  void finishAnnotation(Request& request, const Status& logged);
  void finishRemoval(Request& request, const Status& logged);

  const EngineSettings& settings_;
  Sources& sources_;
  WritePath& writes_;
  EngineFigures& figures_;
  RejectWriter rejects_;

  OrderedMutex<LockRank::kCommitterQueue> mutex_;
  OrderedCondition wake_;
  std::vector<Request> queue_;
  std::vector<Freeze> freezes_;
  std::deque<Turn> turns_;
  bool isStopping_ = false;
  OrderedCondition ended_;
  bool isEnded_ = false;  // The thread is done with the WAL.

  // Used only by the thread below.
  Freezer freezer_;
  BatchLog log_;
  bool isEnding_ = false;  // The value of isStopping_ at its last check.
  // The result of the last sync and close. Other threads read it after joining the thread.
  Status closed_;
  std::thread thread_;
};

}  // namespace seriesdb
