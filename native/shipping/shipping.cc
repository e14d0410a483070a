#include "shipping/shipping.h"

#include <algorithm>
#include <future>
#include <optional>
#include <utility>

#include "bucket/bucket_file.h"
#include "common/digest/hash.h"
#include "common/types/file_names.h"
#include "maintenance/bucket/root.h"
#include "shipping/database_aside.h"
#include "shipping/directory_test.h"
#include "shipping/fetch.h"
#include "shipping/log_shipping.h"
#include "storage/engine/engine.h"
#include "storage/ledger/root_file.h"
#include "storage/state/engine_options.h"

namespace seriesdb {
namespace {

// The number of an epoch's first segment is its epoch times this, so that no two owners write
// segments with equal bytes: a late deletion by one could take the other's.
constexpr unsigned kSegmentsOfEpochBits = 24;
// An entry lists all epochs from its floor on, up to kEpochEndsMax. A database without writes has
// nothing to flush, so a start that sees so many moves the floor.
constexpr std::uint64_t kEpochsBehindFloor = 16;

// Owners that ended before their log began: so many in a row are free, and each further one doubles
// the pause before the next claim.
constexpr std::size_t kFailedFree = 3;
constexpr std::size_t kFailedMost = 9;  // Doublings: some eight minutes.
constexpr std::uint64_t kFailedPauseNanos = 1'000'000'000;

std::size_t failedOwners(const SpineEntry& claim) {
  const auto isBegun = [](const EpochEnd& end) { return end.number > 1; };
  const auto last = std::find_if(claim.ends.rbegin(), claim.ends.rend(), isBegun);
  return static_cast<std::size_t>(last - claim.ends.rbegin());
}

// Records from before the bucket may be larger than a group takes, so the first entry has them in
// segments. If the flush fails, most of them can still be shipped.
void awaitLogFlush(Engine& engine) {
  std::promise<void> tried;
  engine.flush([&tried](const Status&) { tried.set_value(); }, true);
  tried.get_future().wait();
}

// The steps from a directory and a bucket to an engine. Used once.
class Homecoming {
 public:
  Homecoming(FileSystem& fs, EngineOptions options, BucketOptions bucket)
      : fs_(fs), options_(std::move(options)) {
    owned_.options = std::move(bucket);
    if (owned_.options.address.empty()) owned_.options.address = owned_.options.node;
    owned_.nonce = randomNonce();
    owned_.pauser = std::make_unique<MachinePauser>();
    ObjectStore& store = *owned_.options.store;
    owned_.session = std::make_unique<StoreSession>(store, *owned_.pauser, randomSeed());
    owned_.chains = std::make_unique<CreateChains>(store, *owned_.pauser, randomSeed());
  }

  Result<ShippedEngine> open() {
    using Step = Status (Homecoming::*)();
    for (const Step step : {&Homecoming::lockDirectory, &Homecoming::readDirectory,
                            &Homecoming::settleRoot, &Homecoming::claim, &Homecoming::fetch}) {
      if (Status done = (this->*step)(); !done.ok()) return done;
    }
    return openEngine();
  }

 private:
  const std::string& directory() const { return options_.directory; }
  const std::string& url() const { return owned_.options.url; }
  bool isIn(BucketState state) const { return file_ && file_->state == state; }
  // What stands in the directory is no database, or one that is being set aside.
  bool isUnwhole() const { return file_ && isUnfinished(file_->state); }

  Status lockDirectory();
  Status readDirectory();
  Status settleRoot();
  Status createDatabase();
  Status claim();
  Status accept(const FoundEntry& newest) const;
  Status backOff(const SpineEntry& claim) const;
  Status prepare(const FoundEntry& newest, SpineEntry& claim);
  Status list(const FoundEntry& newest);
  Status giveWay(const DirectoryVerdict& verdict);
  Status setAside();
  Status note(BucketState state);
  Status noteClaimed();
  Status fetch();
  Result<ShippedEngine> openEngine();

  FileSystem& fs_;
  EngineOptions options_;
  LogShipping::Owned owned_;
  std::optional<RootFacts> root_;   // Of the directory's database; nullopt: it has none.
  std::optional<BucketFile> file_;  // As it stands in the directory.
  RootFacts bucketRoot_;
  std::optional<DirectoryVerdict> verdict_;  // Of the last try.
  std::string note_;
};

Status Homecoming::lockDirectory() {
  if (Status made = fs_.makeDirectory(directory()); !made.ok()) return made;
  auto lock = fs_.lock(file_names::join(directory(), file_names::kLock));
  if (!lock.ok()) return lock.status();
  owned_.lock = std::move(lock).value();
  options_.isLockHeld = true;
  return {};
}

Status Homecoming::readDirectory() {
  auto file = readBucketFile(fs_, directory());
  if (!file.ok()) return file.status();
  file_ = std::move(file).value();
  if (file_) owned_.database = file_->database;
  if (isIn(BucketState::kAside)) return setAside();
  if (isUnwhole()) return {};
  const auto hasRoot = fs_.exists(file_names::join(directory(), file_names::kRoot));
  if (!hasRoot.ok()) return hasRoot.status();
  if (!hasRoot.value()) return {};
  auto root = readRoot(fs_, directory());
  if (!root.ok()) return root.status();
  if (!root.value().id) {
    return {StatusCode::kConfiguration,
            directory() + " was made by the first version: start the server once without a bucket"};
  }
  root_ = root.value();
  return {};
}

// The bucket belongs to one database for ever, by its ROOT.
Status Homecoming::settleRoot() {
  auto there = readBucketRoot(*owned_.session, url());
  if (!there.ok()) return there.status();
  if (!there.value() && file_ && !root_) {
    return {StatusCode::kConfiguration, url() + " has no database, but " + directory() +
                                            " was about to become that of a bucket; see its " +
                                            std::string(file_names::kQuarantineDirectory)};
  }
  if (!there.value() && !root_) {
    if (Status created = createDatabase(); !created.ok()) return created;
  }
  if (root_) {
    const BucketHome home{*owned_.session, *owned_.chains, url()};
    if (Status settled = home.settleRoot(*root_); !settled.ok()) return settled;
    bucketRoot_ = *root_;
  } else {
    bucketRoot_ = there.value()->facts;
  }
  owned_.database = *bucketRoot_.id;
  if (!file_ || file_->database == owned_.database) return {};
  return {StatusCode::kConfiguration, file_names::join(directory(), file_names::kBucket) +
                                          " belongs to another database than " + url()};
}

Status Homecoming::createDatabase() {
  auto engine = Engine::open(fs_, options_);
  if (!engine.ok()) return engine.status();
  root_ = engine.value()->root();
  return engine.value()->close();
}

Status Homecoming::claim() {
  SpineOwner owner = spineReader(owned_.database);
  owner.nonce = owned_.nonce;
  owner.node = owned_.options.node;
  owner.address = owned_.options.address;
  owner.ack = owned_.options.ack;
  owner.lagMaxMs = owned_.options.lagMaxMs;
  owned_.claim = std::make_unique<Claim>(*owned_.session, *owned_.chains, std::move(owner));
  const auto taken = owned_.claim->take(
      {[this](const FoundEntry& newest) { return accept(newest); },
       [this](const FoundEntry& newest, SpineEntry& claim) { return prepare(newest, claim); }});
  if (!taken.ok()) return taken.status();
  if (!taken.value() && !root_) {
    return {StatusCode::kConfiguration,
            url() + " has no state yet: start the server that began to fill it, or empty the prefix"};
  }
  if (!taken.value()) return list({});
  if (isUnwhole()) return {};
  owned_.begin = {*verdict_->place, verdict_->log.sequence, verdict_->log.files};
  return noteClaimed();
}

// Asked before anything is done to the owner that may still run.
Status Homecoming::accept(const FoundEntry& newest) const {
  if (newest.entry.address.empty()) {
    return {StatusCode::kConfiguration,
            url() + " holds backups of the database: choose another prefix for its server"};
  }
  if (!root_ || file_) return {};
  return {StatusCode::kConfiguration,
          directory() + " has a database that was used without " + url() + ", which has a state " +
              "of its own. Start with an empty directory to use that state, or with another " +
              "prefix to begin a new one"};
}

// An entry lists the epochs from its floor on, and has room for some hundred. A start that fails
// again and again, by a damaged file or for want of memory, would use them up.
Status Homecoming::backOff(const SpineEntry& claim) const {
  const std::size_t failed = failedOwners(claim);
  if (failed <= kFailedFree) return {};
  const std::size_t doublings = std::min(failed - kFailedFree - 1, kFailedMost);
  if (owned_.pauser->pause(kFailedPauseNanos << doublings)) return {};
  return {StatusCode::kClosed, "the start was given up"};
}

// Before each try of a claim. BUCKET has its nonce durably by then, which no earlier try had: a
// copy of the directory could have that one and other records.
Status Homecoming::prepare(const FoundEntry& newest, SpineEntry& claim) {
  if (Status waited = backOff(claim); !waited.ok()) return waited;
  if (Status listed = list(newest); !listed.ok()) return listed;
  auto verdict = testDirectory(*owned_.session, newest, claim,
                               {fs_, directory(), file_ && root_ ? &*file_ : nullptr});
  if (!verdict.ok()) return verdict.status();
  verdict_ = std::move(verdict).value();
  owned_.nonce = claim.link.nonce = randomNonce();
  return verdict_->place ? note(file_->state) : giveWay(*verdict_);
}

// What the bucket has and the directory lacks stays so, whoever claims next, so this may precede
// the claim.
Status Homecoming::giveWay(const DirectoryVerdict& verdict) {
  if (isIn(BucketState::kFirst)) {
    return {StatusCode::kConfiguration,
            directory() + " was to fill " + url() + ", which another copy of the database did " +
                "meanwhile. Start with an empty directory to use that state, or with another " +
                "prefix to begin a new one"};
  }
  if (root_) {
    note_ = verdict.reason + ": what stood in " + directory() + " is in its quarantine, and " +
            url() + " takes its place";
    if (Status noted = note(BucketState::kAside); !noted.ok()) return noted;
    if (Status moved = setAside(); !moved.ok()) return moved;
  }
  return note(BucketState::kFetching);
}

// Moves the database to the folder of the last nonce in BUCKET, which a start that was interrupted
// had written before the first move.
Status Homecoming::setAside() {
  root_.reset();
  Status moved = setDatabaseAside(fs_, directory(), file_->nonces.back());
  return moved.ok() ? note(BucketState::kFetching) : moved;
}

// The listing must be older than the claim: then no object of a later owner is in it.
Status Homecoming::list(const FoundEntry& newest) {
  Publisher::Listing& listing = owned_.listing;
  listing.entryNumber = newest.entry.number;
  listing.objects.clear();
  const BucketLayout layout(owned_.database);
  for (const std::string& prefix :
       {std::string(kBucketSegments), std::string(kBucketParts), layout.logsFolder()}) {
    const auto listed = owned_.session->list(prefix);
    if (!listed.ok()) return listed.status();
    listing.objects.insert(listing.objects.end(), listed.value().begin(), listed.value().end());
  }
  return {};
}

// Replaces BUCKET, with the nonce that is about to be tried.
Status Homecoming::note(BucketState state) {
  BucketFile next = file_.value_or(BucketFile{});
  next.state = state;
  next.database = owned_.database;
  const bool isListed = !next.nonces.empty() && next.nonces.back() == owned_.nonce;
  // Of many tries without an outcome the oldest are dropped: then the bucket wins.
  if (!isListed && next.nonces.size() >= kBucketNoncesMax) {
    next.nonces.erase(next.nonces.begin() + 1);
  }
  if (!isListed) next.nonces.push_back(owned_.nonce);
  if (Status written = writeBucketFile(fs_, directory(), next); !written.ok()) return written;
  file_ = std::move(next);
  return {};
}

// The claim is known: no older nonce matters any more.
Status Homecoming::noteClaimed() {
  BucketFile next;
  next.database = owned_.database;
  next.nonces = {owned_.nonce};
  return writeBucketFile(fs_, directory(), next);
}

Status Homecoming::fetch() {
  if (!isUnwhole()) return {};
  const SpineEntry& claim = owned_.claim->known()->entry();
  const Status fetched =
      fetchDatabase({*owned_.session, claim, bucketRoot_, options_.historyKeepMs, nullptr}, fs_,
                    directory());
  if (!fetched.ok()) return fetched;
  const std::string wal = file_names::join(directory(), file_names::kWalDirectory);
  const auto place = placeOfSequence(fs_, wal, verdict_->log.sequence + 1);
  if (!place.ok()) return place.status();
  if (!place.value()) return Status::corrupt(wal + " does not have the log of " + url());
  owned_.begin = {*place.value(), verdict_->log.sequence, verdict_->log.files};
  return noteClaimed();
}

Result<ShippedEngine> Homecoming::openEngine() {
  const KnownEntry* const known = owned_.claim->known();
  const std::uint64_t epoch = known == nullptr ? 1 : known->entry().epoch;
  options_.segmentNumberMin = epoch << kSegmentsOfEpochBits;
  if (known == nullptr) {
    if (Status noted = note(BucketState::kFirst); !noted.ok()) return noted;
  }
  const bool isFloorOld =
      known != nullptr && epoch - known->entry().floor.place.epoch >= kEpochsBehindFloor;
  const auto shipping = std::make_shared<LogShipping>(fs_, directory(), std::move(owned_));
  options_.copy = shipping;
  auto engine = Engine::open(fs_, options_);
  if (!engine.ok()) return engine.status();
  if (known == nullptr) awaitLogFlush(*engine.value());
  shipping->begin(*engine.value());
  if (isFloorOld) engine.value()->flush([](const Status&) {}, true);
  return ShippedEngine{std::move(engine).value(), note_};
}

}  // namespace

Result<ShippedEngine> openShipped(FileSystem& fs, EngineOptions options, BucketOptions bucket) {
  return Homecoming(fs, std::move(options), std::move(bucket)).open();
}

}  // namespace seriesdb
