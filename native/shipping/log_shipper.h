// The thread that copies the WAL to the bucket, group by group in order.
//
// One group is in flight at any time: the next one is begun once the bucket is known to have it, so
// that the groups of an epoch have no gap. A place that is taken is another owner's seal: then this
// owner is over.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <thread>

#include "bucket/create.h"
#include "bucket/group.h"
#include "bucket/layout.h"
#include "common/base/lock_order.h"
#include "common/base/status.h"
#include "shipping/wal_tail.h"

namespace seriesdb {

class LogShipper {
 public:
  // The file system, the chain and the pauser must outlive it.
  struct Target {
    FileSystem& fs;
    std::string directory;  // Of the WAL.
    CreateChain& chain;     // Of the epoch's log.
    Pauser& pauser;
    DatabaseId database;
    ProcessNonce nonce;
    std::uint64_t epoch = 0;
    std::uint64_t groupMs = 0;  // The least time between the begins of two groups.
  };
  // What the bucket has before the first group of this epoch.
  struct Begin {
    WalPlace place;              // The first record that is to be shipped.
    std::uint64_t sequence = 0;  // The last one that the bucket has.
    // Where WAL files begin in the bucket, by their numbers.
    std::map<std::uint64_t, GroupPlace> files;
  };
  // All are called on the shipper's thread.
  struct Events {
    std::function<void(const WalPlace&)> onShipped;
    std::function<void(const Status&)> onEnded;  // Taken, or the WAL cannot be read.
    std::function<void(const std::string&)> onTrouble;  // Why the store fails; empty: it does not.
  };

  LogShipper(Target target, Begin begin, Events events);
  ~LogShipper();

  // Any thread: the records up to `end` may be shipped.
  void noteSettled(const WalEnd& end);
  // Any thread: waits until the bucket has the record with this sequence. False: it will not, or
  // `isStopped` said so.
  bool awaitShipped(std::uint64_t sequence, const std::function<bool()>& isStopped);
  // Any thread: the group that begins this WAL file; nullopt: the bucket has none.
  std::optional<GroupPlace> beginOf(std::uint64_t file) const;
  // Any thread: groups before the place of this file are not asked for any more.
  void forgetFilesBelow(std::uint64_t file);
  std::uint64_t firstFileNeeded() const;

  // Ships what is settled without a pause between groups, and ends the thread; at `deadlineNanos`
  // at the latest, if the pauser is stopped then. Idempotent.
  void finish(std::uint64_t deadlineNanos);

  struct Figures {
    std::uint64_t groups = 0;
    std::uint64_t shippedBytes = 0;    // Of records.
    std::uint64_t unshippedBytes = 0;  // Of settled records.
    std::uint64_t lagNanos = 0;        // The age of the oldest settled record; 0: all are shipped.
  };
  Figures figures() const;
  std::uint64_t lagNanos() const;

 private:
  void run();
  bool awaitWork();
  bool ship();
  // Settled records, the first of them at this time, that end there.
  struct Unshipped {
    WalPlace end;
    std::uint64_t sinceNanos = 0;
  };

  bool create(RecordRun run);
  LogGroup groupOf(RecordRun& run) const;
  void take(const RecordRun& run, const Sha256& hash);
  void end(const Status& why);
  bool isOver() const;
  void noteAge(const WalPlace& end);
  void forgetAges();
  std::uint64_t ageNanos() const;

  const Target target_;
  const Events events_;
  const BucketLayout layout_;
  // Used only by the thread.
  WalTail tail_;
  GroupPlace place_;  // Of the next group.
  Sha256 before_;     // Of the last one.
  std::uint64_t lastBeginNanos_ = 0;
  bool isFull_ = false;  // The last group left records that were waiting.
  std::uint64_t recordBytes_ = 0;  // Of the group in flight.

  mutable OrderedMutex<LockRank::kLogShipper> mutex_;
  OrderedCondition wake_;
  OrderedCondition shipped_;
  WalEnd settled_;
  std::uint64_t settledBytes_ = 0;  // Of records since the begin.
  WalPlace shippedEnd_;
  std::uint64_t shippedSequence_;
  std::map<std::uint64_t, GroupPlace> files_;
  std::deque<Unshipped> unshipped_;  // Ascending; empty: everything settled is shipped.
  bool isEnded_ = false;
  bool isFinishing_ = false;
  std::uint64_t finishNanos_ = 0;
  Figures figures_;
  std::thread thread_;
};

}  // namespace seriesdb
