#include "bucket/claim.h"

#include <algorithm>
#include <utility>

#include "common/base/check.h"

namespace seriesdb {
namespace {

// How long one create is tried.
constexpr std::uint64_t kCreateNanos = 60'000'000'000;
// How often the newest entry is looked for again because another one was created meanwhile.
constexpr unsigned kClaimRounds = 8;

Status claimedByAnother(const std::string& key) {
  return {StatusCode::kLocked,
          "another owner claimed the database in the bucket meanwhile: it created " + key};
}

// The claim that follows `newest`, whose log ends so.
SpineEntry claimBehind(const FoundEntry& newest, const SpineOwner& owner, const EpochEnd& end) {
  SpineEntry claim = newest.entry;
  claim.kind = EntryKind::kClaim;
  claim.number = claim.lastClaim = newest.entry.number + 1;
  claim.epoch = newest.entry.epoch + 1;
  claim.link = {owner.database, owner.nonce, newest.hash};
  claim.timeMs = wallMs();
  claim.node = owner.node;
  claim.address.clear();
  claim.ack = AckMode::kLocal;
  claim.lagMaxMs = 0;
  claim.ends.push_back(end);
  return claim;
}

}  // namespace

Status checkEntryFeatures(const SpineEntry& entry, const SpineOwner& owner) {
  const std::uint32_t unknown =
      (entry.featuresToRead & ~owner.knownToRead) | (entry.featuresToWrite & ~owner.knownToWrite);
  if (unknown == 0) return {};
  return {StatusCode::kConfiguration,
          "entry " + std::to_string(entry.number) +
              " of the bucket was written by a newer seriesdb: it takes unknown features: " +
              std::to_string(unknown)};
}

Claim::Claim(StoreSession& session, CreateChains& chains, SpineOwner owner)
    : session_(session),
      chains_(chains),
      owner_(std::move(owner)),
      layout_(owner_.database),
      spine_(session, owner_.database) {}

Result<Created> Claim::create(std::string_view folder, std::string key, ByteBuffer bytes) {
  CreateChain& chain = chains_.in(folder);
  if (Status begun = chain.begin(std::move(key), std::move(bytes)); !begun.ok()) return begun;
  Created created = chain.settle(session_.pauser().nowNanos() + kCreateNanos);
  if (created.isMine() || created.isTaken()) return created;
  return Status(StatusCode::kStorageUnavailable,
                "the bucket gave no answer for " + created.key + ": " + created.reason);
}

// REQUIRES: this owner has no records, so groups are only counted.
Result<Claim::LogEnd> Claim::sealLog(const SpineEntry& newest) {
  const bool isFloorHere = newest.floor.place.epoch == newest.epoch;
  const std::uint64_t first = isFloorHere ? newest.floor.place.number : 1;
  // An earlier round sealed this log, and no entry since has trimmed that place.
  if (sealed_ && sealed_->epoch == newest.epoch && sealed_->end.number >= first) {
    EpochEnd& end = sealed_->end;
    if (isFloorHere) end.sequence = std::max(end.sequence, newest.floor.sequence);
    end.kept = end.sequence;
    return *sealed_;
  }
  LogEnd log;
  log.epoch = newest.epoch;
  std::uint64_t sequence = isFloorHere ? newest.floor.sequence : 0;
  if (!newest.ends.empty()) sequence = std::max(sequence, newest.ends.back().sequence);
  LogGroup seal;
  seal.kind = GroupKind::kSeal;
  seal.link = {owner_.database, owner_.nonce, {}};
  for (seal.place = {newest.epoch, first}; seal.place.number <= kChainNumberMax;
       ++seal.place.number) {
    Result<ByteBuffer> bytes = encodeGroup(seal);
    if (!bytes.ok()) return bytes.status();
    Result<Created> created = create(layout_.logFolder(newest.epoch), layout_.keyOf(seal.place),
                                     std::move(bytes).value());
    if (!created.ok()) return created.status();
    bool isEnd = created.value().isMine();
    if (!isEnd) {
      const auto group = decodeGroup(created.value().standing, {owner_.database, seal.place});
      if (!group.ok()) return group.status();
      isEnd = group.value().kind == GroupKind::kSeal;
      if (!isEnd) sequence = std::max(sequence, group.value().lastSequence);
      seal.link.before = sha256(created.value().standing);
    }
    if (!isEnd) continue;
    log.end = {seal.place.number, sequence, sequence};
    log.isEmpty = isFloorHere && seal.place.number == first;
    sealed_ = log;
    return log;
  }
  return Status::corrupt("the log of epoch " + std::to_string(newest.epoch) + " has no end");
}

Result<bool> Claim::createEntry(const SpineEntry& entry) {
  Result<ByteBuffer> bytes = encodeEntry(entry);
  if (!bytes.ok()) return bytes.status();
  const Sha256 hash = sha256(bytes.value());
  Result<Created> created = create(layout_.spineFolder(), layout_.keyOf(EntryPlace{entry.number}),
                                   std::move(bytes).value());
  if (!created.ok()) return created.status();
  if (created.value().isTaken()) return false;
  Result<KnownEntry> known = KnownEntry::ofCreate(created.value(), owner_.database);
  if (!known.ok()) return known.status();
  known_ = std::move(known).value();
  knownHash_ = hash;
  return true;
}

Result<bool> Claim::take() {
  std::uint64_t there = 0;
  for (unsigned round = 0; round < kClaimRounds; ++round) {
    Result<std::optional<FoundEntry>> newest = spine_.newest(there);
    if (!newest.ok()) return newest.status();
    if (!newest.value()) return false;
    const FoundEntry& found = *newest.value();
    there = found.entry.number;
    if (Status known = checkEntryFeatures(found.entry, owner_); !known.ok()) return known;
    const auto log = sealLog(found.entry);
    if (!log.ok()) return log.status();
    SpineEntry claim = claimBehind(found, owner_, log.value().end);
    // Otherwise owners that only claim would list their epochs until no more fit.
    if (log.value().isEmpty) claim.floor.place = {claim.epoch, 1};
    dropOldEnds(claim);
    const auto created = createEntry(claim);
    if (!created.ok()) return created.status();
    if (created.value()) {
      before_ = std::move(*newest.value());
      return true;
    }
  }
  return claimedByAnother("entry " + std::to_string(there + 1));
}

void Claim::fill(SpineEntry& entry, const PublishedState& state) const {
  entry.link.database = owner_.database;
  entry.link.nonce = owner_.nonce;
  entry.timeMs = wallMs();
  entry.node = owner_.node;
  entry.featuresToRead = state.featuresToRead;
  entry.featuresToWrite = state.featuresToWrite;
  entry.edit = state.edit;
  entry.headCommit = state.headCommit;
  entry.seen = state.flushedSequence;
  entry.floor = {{entry.epoch, 1}, state.flushedSequence};
  entry.parts = state.parts;
}

Status Claim::begin(const PublishedState& state) {
  CHECK(!known_);
  SpineEntry first;
  first.number = first.epoch = first.lastClaim = 1;
  fill(first, state);
  const auto created = createEntry(first);
  if (!created.ok() || created.value()) return created.status();
  return claimedByAnother("entry 1");
}

Status Claim::publish(const PublishedState& state) {
  CHECK(known_.has_value());
  SpineEntry next = known_->entry();
  next.kind = EntryKind::kPublication;
  ++next.number;
  next.link.before = knownHash_;
  fill(next, state);
  dropOldEnds(next);
  const auto created = createEntry(next);
  if (!created.ok() || created.value()) return created.status();
  return claimedByAnother("entry " + std::to_string(next.number));
}

}  // namespace seriesdb
