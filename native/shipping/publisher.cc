#include "shipping/publisher.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "bucket/bucket_files.h"
#include "bucket/refs_parts.h"
#include "bucket/trim.h"
#include "bucket/upload.h"
#include "common/base/clock.h"
#include "common/types/file_names.h"
#include "storage/ledger/root_file.h"
#include "storage/state/engine_options.h"

namespace seriesdb {
namespace {

// How often the publisher looks for edits.
constexpr std::chrono::milliseconds kEditLook(250);
// The pause behind failures.
constexpr std::uint64_t kFirstRetryNanos = 1'000'000'000;
constexpr std::uint64_t kLastRetryNanos = 60'000'000'000;
// How sentences about failures begin.
constexpr const char* kNotPublished = "the bucket has no newer state of the database: ";
constexpr const char* kNotDeleted = "the bucket keeps what the database does not need: ";

Status stoppedPublishing() { return {StatusCode::kClosed, "the server stops"}; }

bool isOverForGood(const Status& status) {
  return status.code() == StatusCode::kLocked || status.code() == StatusCode::kFenced;
}

NamedObjects namesOf(const std::map<Sha256, std::uint64_t>& named) {
  NamedObjects names;
  for (const auto& [hash, bytes] : named) names.byEntry.insert(hash);
  return names;
}

}  // namespace

Publisher::Publisher(Target target, Listing listing, Events events)
    : target_(target),
      events_(std::move(events)),
      layout_(*target_.engine.root().id),
      listing_(std::move(listing)) {
  for (const auto& [hash, bytes] : bucketObjectsIn(listing_.objects)) present_[hash] = bytes;
  if (const KnownEntry* known = target_.claim.known()) {
    entry_ = known->entry().number;
    publishedNanos_ = monotonicNanos();
    // So that a later start finds the published commit in REFS, however often that was replaced.
    auto held = target_.engine.hold(PastState{{}, known->entry().edit, {}});
    if (held.ok()) held_ = std::move(held).value();
  }
  thread_ = std::thread([this] { run(); });
}

Publisher::~Publisher() { stop(); }

bool Publisher::finish(std::uint64_t deadlineNanos) {
  {
    std::unique_lock lock(mutex_);
    isFinishing_ = true;
    wake_.notify_one();
    const std::uint64_t now = monotonicNanos();
    const std::uint64_t left = deadlineNanos > now ? deadlineNanos - now : 0;
    ended_.wait_for(lock, std::chrono::nanoseconds(left), [this] { return isEnded_; });
    if (!isEnded_) return false;
  }
  if (thread_.joinable()) thread_.join();
  return true;
}

void Publisher::stop() {
  isStopping_.store(true, std::memory_order_release);
  static_cast<void>(finish(0));
  if (thread_.joinable()) thread_.join();
}

// False: the thread should end.
bool Publisher::awaitWork() {
  for (;;) {
    const bool isState = isNew();
    const bool isTime = monotonicNanos() - lastNanos_ >= target_.publishMs * 1'000'000;
    std::unique_lock lock(mutex_);
    if (isStopped()) return false;
    if (isState && (isFinishing_ || isTime)) return true;
    if (isFinishing_) return false;
    if (!waste_.empty() && !isState) return true;
    wake_.wait_for(lock, kEditLook, [this] { return isFinishing_; });
  }
}

void Publisher::run() {
  work();
  const std::lock_guard lock(mutex_);
  isEnded_ = true;
  ended_.notify_all();
}

void Publisher::work() {
  std::uint64_t retryNanos = kFirstRetryNanos;
  while (awaitWork()) {
    const char* what = kNotPublished;
    Status done = isNew() ? publishOnce() : Status();
    lastNanos_ = monotonicNanos();
    if (done.ok()) {
      what = kNotDeleted;
      done = removeWaste();
    }
    if (done.ok()) {
      events_.onTrouble({});
      retryNanos = kFirstRetryNanos;
      continue;
    }
    if (isOverForGood(done)) return events_.onEnded(done);
    events_.onTrouble(what + done.message());
    std::unique_lock lock(mutex_);
    if (isFinishing_) return;
    wake_.wait_for(lock, std::chrono::nanoseconds(retryNanos), [this] { return isFinishing_; });
    retryNanos = std::min(retryNanos * 2, kLastRetryNanos);
  }
}

Status Publisher::publishOnce() {
  const Engine::Described described = target_.engine.described();
  auto taken = takeCommittedState(target_.session, target_.engine.options().directory,
                                  [this] { return target_.engine.holdFiles(); });
  if (!taken.ok()) return taken.status();
  TakenState& state = taken.value();
  auto held = target_.engine.hold(PastState{{}, state.head->commit.edit, {}});
  // Keeps the files of this state alone, so that others may go during a long upload.
  if (held.ok()) state.held.hold.reset();
  auto named = namedSegments(state, target_.engine.options().directory);
  if (!named.ok()) return named.status();
  if (Status sent = uploadSegments(named.value()); !sent.ok()) return sent;
  auto next = describe(state);
  if (!next.ok()) return next.status();
  const bool isFirst = target_.claim.known() == nullptr;
  const std::optional<SpineEntry> before =
      isFirst ? std::nullopt : std::optional(target_.claim.known()->entry());
  if (Status created = createEntry(next.value()); !created.ok()) return created;
  entry_ = target_.claim.known()->entry().number;
  publishedNanos_ = monotonicNanos();
  published_ = described;
  held_ = held.ok() ? std::move(held).value() : nullptr;
  if (LogShipper* const shipper = events_.shipper()) {
    shipper->forgetFilesBelow(state.head->state.walFloor);
  }
  if (isFirst) {
    events_.onBegun(state.head->state);
    named_ = named.value();
    return {};
  }
  return noteWaste(*before, std::move(named).value());
}

// Tries until the outcome is known: a create without an answer may still land, and only the next
// entry may follow it.
Status Publisher::createEntry(const PublishedState& state) {
  Claim& claim = target_.claim;
  Status created = claim.known() == nullptr ? claim.begin(state) : claim.publish(state);
  while (!created.ok() && claim.isPending()) {
    events_.onTrouble(kNotPublished + created.message());
    const bool goesOn = target_.session.pauser().pause(kFirstRetryNanos);
    if (!goesOn || isStopped()) return stoppedPublishing();
    created = claim.settle();
  }
  return created;
}

Status Publisher::uploadSegments(const std::map<Sha256, std::uint64_t>& named) {
  for (const auto& [hash, bytes] : named) {
    const auto there = present_.find(hash);
    if (there != present_.end() && there->second == bytes) continue;
    if (Status sent = uploadSegment(hash, bytes); !sent.ok()) return sent;
  }
  return {};
}

Status Publisher::uploadSegment(const Sha256& hash, std::uint64_t bytes) {
  const std::string path =
      file_names::join(target_.engine.options().directory, segmentFileOfHash(hash));
  const auto file = target_.fs.openRead(path);
  if (!file.ok()) return file.status();
  ObjectUpload upload(target_.session, *file.value(),
                      {layout_.keyOf(SegmentPlace{hash}), hash, UploadSizes{}});
  while (!upload.isDone()) {
    if (isStopped()) return stoppedPublishing();
    if (Status sent = upload.next(); !sent.ok()) {
      return {sent.code(), path + ": " + sent.message()};
    }
  }
  present_[hash] = bytes;
  return {};
}

// Uploads REFS, too.
Result<PublishedState> Publisher::describe(const TakenState& taken) {
  // Asked after the state was taken: a merge may have dropped what a deletion in the log erased.
  const std::uint64_t seen = target_.engine.lastSequence();
  RefsBefore before;
  if (const KnownEntry* known = target_.claim.known()) {
    before.parts = known->entry().parts;
    before.isWhole = true;
  }
  auto parts = uploadRefsParts(target_.session, target_.nonce, before, taken.files->refs());
  if (!parts.ok()) return parts.status();
  PublishedState state;
  state.featuresToRead = target_.engine.root().toRead | kRootWritten;
  state.featuresToWrite = kRootBackup;
  state.edit = taken.head->commit.edit;
  state.headCommit = taken.head->move.to;
  state.flushedSequence = taken.head->state.flushedSequence;
  state.parts = std::move(parts).value();
  state.seen = seen;
  if (Status placed = placeInLog(taken, state); !placed.ok()) return placed;
  return state;
}

// The state must not run ahead of the log: whoever starts from the entry replays the log from its
// floor, and would lack what the state shows already.
Status Publisher::placeInLog(const TakenState& taken, PublishedState& state) {
  LogShipper* const shipper = events_.shipper();
  if (shipper == nullptr) return {};
  if (!shipper->awaitShipped(state.seen, [this] { return isStopped(); })) {
    if (isStopped()) return stoppedPublishing();
    return {StatusCode::kFenced, "the log in the bucket has ended"};
  }
  state.floor = shipper->beginOf(taken.head->state.walFloor);
  if (state.floor) return {};
  return Status::corrupt("WAL file " + std::to_string(taken.head->state.walFloor) +
                         " has no group in the bucket");
}

Status Publisher::noteWaste(const SpineEntry& before, std::map<Sha256, std::uint64_t> named) {
  for (const GroupRange& range : groupsBelowFloor(before, *target_.claim.known())) {
    for (std::uint64_t number = range.first; number < range.end; ++number) {
      waste_.push_back(GroupPlace{range.epoch, number});
    }
  }
  for (const auto& [hash, bytes] : named_) waste_.push_back(SegmentPlace{hash});
  for (const RefsPart& part : before.parts) waste_.push_back(PartPlace{part.hash});
  named_ = std::move(named);
  if (isSwept_) return {};
  isSwept_ = true;
  return sweep();
}

// Finds what owners before left. The listing is older than the claim, so an object of a later owner
// is not in it.
Status Publisher::sweep() {
  SweepListing listing;
  listing.entryNumber = listing_.entryNumber;
  for (const ListedObject& one : listing_.objects) listing.keys.push_back(one.key);
  listing_.objects.clear();
  const auto keys = keysToSweep(listing, *target_.claim.known(), namesOf(named_));
  if (!keys.ok()) return keys.status();
  for (const std::string& key : keys.value()) waste_.push_back(*layout_.placeOf(key));
  return {};
}

// Deletes in order. What fails stays for the next call.
Status Publisher::removeWaste() {
  const NamedObjects names = namesOf(named_);
  for (; !waste_.empty(); waste_.pop_front()) {
    if (isStopped()) return stoppedPublishing();
    const BucketPlace& place = waste_.front();
    if (!mayDelete(place, *target_.claim.known(), names)) continue;
    const std::string key =
        std::visit([this](const auto& one) { return layout_.keyOf(one); }, place);
    if (Status gone = target_.session.remove(key); !gone.ok()) return gone;
    if (const auto* segment = std::get_if<SegmentPlace>(&place)) present_.erase(segment->hash);
  }
  return {};
}

}  // namespace seriesdb
