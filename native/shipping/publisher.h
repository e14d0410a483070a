// The thread that publishes the state of the database to the bucket: segments and parts of REFS,
// then an entry; and deletes what the entry does not need any more.
//
//   state    the committed files are pinned, and REFS is read
//   objects  segments that the bucket lacks, and parts of REFS
//   log      the bucket has every record that the state may show
//   entry    says what the database is; taken: another owner claimed it
//   trim     groups below the new floor, and objects that only the entry before named
//
// One publication at a time; edits in between are skipped over.
#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <unordered_map>

#include "bucket/claim.h"
#include "bucket/store_session.h"
#include "common/base/lock_order.h"
#include "common/base/status.h"
#include "common/file/file_system.h"
#include "maintenance/bucket/taken_state.h"
#include "shipping/log_shipper.h"
#include "storage/engine/engine.h"

namespace seriesdb {

class Publisher {
 public:
  // All must outlive it; the claim is used by this thread alone from now on.
  struct Target {
    FileSystem& fs;
    Engine& engine;
    StoreSession& session;
    Claim& claim;
    ProcessNonce nonce;
    std::uint64_t publishMs = 0;  // The least time between two entries.
  };
  // What is in the bucket, listed before the last claim.
  struct Listing {
    std::uint64_t entryNumber = 0;
    std::vector<ListedObject> objects;
  };
  // All are called on the publisher's thread.
  struct Events {
    // The first entry of the spine is there: the log goes on behind this state.
    std::function<void(const ManifestState&)> onBegun;
    // The shipper once it is there; null before.
    std::function<LogShipper*()> shipper;
    std::function<void(const Status&)> onEnded;         // Another owner claimed the database.
    std::function<void(const std::string&)> onTrouble;  // Why it fails; empty: it does not.
  };

  Publisher(Target target, Listing listing, Events events);
  ~Publisher();

  // Publishes what is new without a pause, and ends the thread. False: it did not end in time, and
  // stop() must follow. Idempotent.
  bool finish(std::uint64_t deadlineNanos);
  // Gives up, and joins the thread. Stop the session's pauser before, so that its pauses end.
  void stop();

  std::uint64_t entryNumber() const { return entry_.load(std::memory_order_relaxed); }
  // When the newest entry was created or known, by the monotonic clock.
  std::uint64_t publishedNanos() const { return publishedNanos_.load(std::memory_order_relaxed); }

 private:
  void run();
  void work();
  bool awaitWork();
  Status publishOnce();
  Status createEntry(const PublishedState& state);
  Status uploadSegments(const std::map<Sha256, std::uint64_t>& named);
  Status uploadSegment(const Sha256& hash, std::uint64_t bytes);
  Result<PublishedState> describe(const TakenState& taken);
  Status placeInLog(const TakenState& taken, PublishedState& state);
  Status noteWaste(const SpineEntry& before, std::map<Sha256, std::uint64_t> named);
  Status sweep();
  Status removeWaste();
  bool isNew() const { return published_ != target_.engine.described(); }
  bool isStopped() const { return isStopping_.load(std::memory_order_acquire); }

  const Target target_;
  const Events events_;
  const BucketLayout layout_;
  // Used only by the thread.
  Listing listing_;
  std::unordered_map<Sha256, std::uint64_t> present_;  // Segments in the bucket, and their sizes.
  std::map<Sha256, std::uint64_t> named_;              // By the newest entry of this thread.
  std::optional<Engine::Described> published_;
  std::shared_ptr<const HeldCommit> held_;  // The commit of the newest entry.
  std::uint64_t lastNanos_ = 0;
  bool isSwept_ = false;
  std::deque<BucketPlace> waste_;  // What the newest entry does not need any more.

  std::atomic<std::uint64_t> entry_{0};
  std::atomic<std::uint64_t> publishedNanos_{0};
  std::atomic<bool> isStopping_{false};
  OrderedMutex<LockRank::kPublisher> mutex_;
  OrderedCondition wake_;
  OrderedCondition ended_;
  bool isFinishing_ = false;
  bool isEnded_ = false;  // The thread has nothing left to do.
  std::thread thread_;
};

}  // namespace seriesdb
