// Claims a database in a bucket, and publishes its states.
//
//   C1  find the newest entry
//   C2  find the last group of its epoch
//   C3  create a seal at the first free place of that log
//   C4  create the next entry: a claim of the next epoch with the state of the newest entry
//
// Whoever claimed before can neither write its log nor publish from then on: both places are taken.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "bucket/create.h"
#include "bucket/entry.h"
#include "bucket/group.h"
#include "bucket/spine.h"
#include "bucket/store_session.h"
#include "bucket/trim.h"
#include "common/base/status.h"

namespace seriesdb {

struct SpineOwner {
  DatabaseId database{};
  ProcessNonce nonce{};
  std::string node;  // As in an entry, like the next three.
  std::string address{};
  AckMode ack = AckMode::kLocal;
  std::uint64_t lagMaxMs = 0;
  // The bits of ROOT's features that this program knows. An entry with others is refused.
  std::uint32_t knownToRead = 0;
  std::uint32_t knownToWrite = 0;
};

// A state of the database whose objects and parts are in the bucket.
struct PublishedState {
  std::uint32_t featuresToRead = 0;
  std::uint32_t featuresToWrite = 0;
  std::uint64_t edit = 0;
  Sha256 headCommit;
  std::uint64_t flushedSequence = 0;  // The last sequence in segments.
  std::vector<RefsPart> parts;
  // Of an owner with a log: the group with the first record behind `flushedSequence`, and the last
  // sequence that was applied. Without: no log goes on behind `flushedSequence`.
  std::optional<GroupPlace> floor{};
  std::uint64_t seen = 0;
};

// kConfiguration if the entry has features that this owner does not know.
Status checkEntryFeatures(const SpineEntry& entry, const SpineOwner& owner);

// One thread at a time. The session and the chains must outlive it.
//
// All methods fail with kStorageUnavailable if the outcome is not known after a minute, and with
// kLocked if another owner was faster. Then this owner is over.
class Claim {
 public:
  Claim(StoreSession& session, CreateChains& chains, SpineOwner owner);

  // What the caller does in between, again for each newest entry. Null: nothing.
  struct Steps {
    // Before the seal, which ends the other owner: whether to claim at all. Its failure is that of
    // take().
    std::function<Status(const FoundEntry& newest)> accept;
    // Before C4 creates `claim`, whose nonce may be changed, and of whose last ended epoch `kept`
    // may be raised. If it fails, so does take(), unless a newer entry is there.
    std::function<Status(const FoundEntry& newest, SpineEntry& claim)> prepare;
  };
  // Claims the database. False: its spine is empty, so nothing is claimed; begin() makes the first
  // entry. kStorageCorrupt, kConfiguration: as decodeEntry() and decodeGroup().
  Result<bool> take(const Steps& steps = {});
  // Creates the first entry, once all of the state is in the bucket.
  Status begin(const PublishedState& state);
  // Creates the next entry. kInvalidArgument as encodeEntry(). REQUIRES: take() or begin() was
  // true.
  Status publish(const PublishedState& state);
  // Whether the outcome of begin() or publish() is not known yet. Until it is, neither can make
  // another entry.
  bool isPending() { return chains_.in(layout_.spineFolder()).pending() != nullptr; }
  // Goes on with that entry. Fails as they do. REQUIRES: isPending().
  Status settle();

  // The newest entry of this owner; null before the first.
  const KnownEntry* known() const { return known_ ? &*known_ : nullptr; }
  // The entry whose state the claim has; null if there was none.
  const FoundEntry* before() const { return before_ ? &*before_ : nullptr; }

 private:
  // Where the log of an epoch ends.
  struct LogEnd {
    std::uint64_t epoch = 0;
    EpochEnd end;
    bool isEmpty = false;  // The log has no group at or above the floor.
  };

  Result<Created> create(std::string_view folder, std::string key, ByteBuffer bytes);
  Result<Created> settleIn(CreateChain& chain);
  Result<LogEnd> sealLog(const SpineEntry& newest);
  Result<bool> findEnd(LogGroup& seal, LogEnd& log);
  Result<bool> createSeal(LogGroup& seal, LogEnd& log);
  Result<bool> takeGroup(Bytes bytes, LogGroup& seal, LogEnd& log) const;
  Result<bool> createEntry(const SpineEntry& entry);
  Result<bool> takeEntry(Created created);
  void fill(SpineEntry& entry, const PublishedState& state) const;

  StoreSession& session_;
  CreateChains& chains_;
  const SpineOwner owner_;
  const BucketLayout layout_;
  Spine spine_;
  std::optional<LogEnd> sealed_;
  std::optional<FoundEntry> before_;
  std::optional<KnownEntry> known_;
  Sha256 knownHash_;
};

}  // namespace seriesdb
