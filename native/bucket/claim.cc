#include "bucket/claim.h"

#include <algorithm>
#include <utility>

#include "bucket/find_last.h"
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
  claim.address = owner.address;
  claim.ack = owner.ack;
  claim.lagMaxMs = owner.lagMaxMs;
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
  return settleIn(chain);
}

Result<Created> Claim::settleIn(CreateChain& chain) {
  Created created = chain.settle(session_.pauser().nowNanos() + kCreateNanos);
  if (created.isMine() || created.isTaken()) return created;
  return Status(StatusCode::kStorageUnavailable,
                "the bucket gave no answer for " + created.key + ": " + created.reason);
}

// Groups fill their places in order, and none at or above the floor is deleted before a newer entry
// is there, which C4 would meet.
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
  log.end.sequence = isFloorHere ? newest.floor.sequence : 0;
  if (!newest.ends.empty()) {
    log.end.sequence = std::max(log.end.sequence, newest.ends.back().sequence);
  }
  LogGroup seal;
  seal.kind = GroupKind::kSeal;
  seal.link = {owner_.database, owner_.nonce, {}};
  seal.place = {newest.epoch, first};
  auto isEnd = findEnd(seal, log);
  while (isEnd.ok() && !isEnd.value() && seal.place.number <= kChainNumberMax) {
    isEnd = createSeal(seal, log);
    // An owner that lives may add groups faster than they can be met one by one.
    if (isEnd.ok() && !isEnd.value()) isEnd = findEnd(seal, log);
  }
  if (!isEnd.ok()) return isEnd.status();
  if (!isEnd.value()) {
    return Status::corrupt("the log of epoch " + std::to_string(newest.epoch) + " has no end");
  }
  log.end.number = seal.place.number;
  log.end.kept = log.end.sequence;
  log.isEmpty = isFloorHere && seal.place.number == first;
  sealed_ = log;
  return log;
}

// Moves `seal` to the first free place behind the last group, or to the seal that is there: true.
Result<bool> Claim::findEnd(LogGroup& seal, LogEnd& log) {
  const std::uint64_t epoch = log.epoch;
  const std::uint64_t first = seal.place.number;
  const auto last =
      findLast(seal.place.number - 1, [this, epoch](std::uint64_t number) -> Result<bool> {
        const auto byte = session_.get(layout_.keyOf(GroupPlace{epoch, number}), StoreRange{0, 1});
        if (!byte.ok()) return byte.status();
        return byte.value().has_value();
      });
  if (!last.ok()) return last.status();
  if (last.value() < seal.place.number) return false;
  const GroupPlace place{epoch, last.value()};
  const auto bytes = session_.get(layout_.keyOf(place), StoreRange{0, kCreateSizeMax + 1});
  if (!bytes.ok()) return bytes.status();
  seal.place = place;
  // Trimmed meanwhile, so a newer entry is there, and C4 will fail.
  if (!bytes.value()) return false;
  const auto isEnd = takeGroup(*bytes.value(), seal, log);
  if (!isEnd.ok() || !isEnd.value() || place.number == first) return isEnd;
  // Whoever sealed this log has not claimed. The last sequence is that of the group before.
  LogGroup before = seal;
  before.place.number = place.number - 1;
  const auto there = session_.get(layout_.keyOf(before.place), StoreRange{0, kCreateSizeMax + 1});
  if (!there.ok()) return there.status();
  if (!there.value()) return true;
  const auto taken = takeGroup(*there.value(), before, log);
  return taken.ok() ? Result<bool>(true) : taken;
}

// Goes past a group that stands in the place of `seal`. True: it is a seal.
Result<bool> Claim::takeGroup(Bytes bytes, LogGroup& seal, LogEnd& log) const {
  const auto group = decodeGroup(bytes, {owner_.database, seal.place});
  if (!group.ok()) return group.status();
  if (group.value().kind == GroupKind::kSeal) return true;
  log.end.sequence = std::max(log.end.sequence, group.value().lastSequence);
  seal.link.before = sha256(bytes);
  ++seal.place.number;
  return false;
}

// True: `seal`, or another one, stands in its place. False: a group does; `seal` moves past it.
Result<bool> Claim::createSeal(LogGroup& seal, LogEnd& log) {
  Result<ByteBuffer> bytes = encodeGroup(seal);
  if (!bytes.ok()) return bytes.status();
  Result<Created> created = create(layout_.logFolder(log.epoch), layout_.keyOf(seal.place),
                                   std::move(bytes).value());
  if (!created.ok()) return created.status();
  if (created.value().isMine()) return true;
  return takeGroup(created.value().standing, seal, log);
}

Result<bool> Claim::createEntry(const SpineEntry& entry) {
  Result<ByteBuffer> bytes = encodeEntry(entry);
  if (!bytes.ok()) return bytes.status();
  Result<Created> created = create(layout_.spineFolder(), layout_.keyOf(EntryPlace{entry.number}),
                                   std::move(bytes).value());
  return created.ok() ? takeEntry(std::move(created).value()) : created.status();
}

// True: the entry is ours. False: the place is taken.
Result<bool> Claim::takeEntry(Created created) {
  if (created.isTaken()) return false;
  Result<KnownEntry> known = KnownEntry::ofCreate(created, owner_.database);
  if (!known.ok()) return known.status();
  known_ = std::move(known).value();
  knownHash_ = sha256(created.standing);
  return true;
}

Result<bool> Claim::take(const Steps& steps) {
  std::uint64_t there = 0;
  for (unsigned round = 0; round < kClaimRounds; ++round) {
    Result<std::optional<FoundEntry>> newest = spine_.newest(there);
    if (!newest.ok()) return newest.status();
    if (!newest.value()) return false;
    const FoundEntry& found = *newest.value();
    there = found.entry.number;
    if (Status known = checkEntryFeatures(found.entry, owner_); !known.ok()) return known;
    if (Status accepted = steps.accept ? steps.accept(found) : Status(); !accepted.ok()) {
      return accepted;
    }
    const auto log = sealLog(found.entry);
    if (!log.ok()) return log.status();
    SpineEntry claim = claimBehind(found, owner_, log.value().end);
    // Otherwise owners that only claim would list their epochs until no more fit.
    if (log.value().isEmpty) claim.floor.place = {claim.epoch, 1};
    dropOldEnds(claim);
    if (const Status ready = steps.prepare ? steps.prepare(found, claim) : Status(); !ready.ok()) {
      // What a newer entry has trimmed looks like damage.
      const auto now = spine_.newest(there);
      if (now.ok() && now.value()->entry.number > there) continue;
      return ready;
    }
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
  // That of the claim, by which the next owner knows whose the state is.
  entry.link.nonce = known_ ? known_->entry().link.nonce : owner_.nonce;
  entry.timeMs = wallMs();
  entry.node = owner_.node;
  entry.address = owner_.address;
  entry.ack = owner_.ack;
  entry.lagMaxMs = owner_.lagMaxMs;
  entry.featuresToRead = state.featuresToRead;
  entry.featuresToWrite = state.featuresToWrite;
  entry.edit = state.edit;
  entry.headCommit = state.headCommit;
  entry.seen = std::max(state.seen, state.flushedSequence);
  entry.floor = {state.floor.value_or(GroupPlace{entry.epoch, 1}), state.flushedSequence};
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

Status Claim::settle() {
  Result<Created> created = settleIn(chains_.in(layout_.spineFolder()));
  if (!created.ok()) return created.status();
  const std::string key = created.value().key;
  const auto taken = takeEntry(std::move(created).value());
  return !taken.ok() || taken.value() ? taken.status() : claimedByAnother(key);
}

}  // namespace seriesdb
