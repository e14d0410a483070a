#include "maintenance/bucket/backup_job.h"

#include <algorithm>
#include <unordered_set>
#include <utility>

#include "bucket/refs_parts.h"
#include "common/digest/hash.h"
#include "common/types/file_names.h"
#include "maintenance/bucket/sweep.h"
#include "maintenance/inspect/json_line.h"

namespace seriesdb {
namespace {

// A long pause is cut into these, between which the backup can be cancelled.
constexpr std::uint64_t kBreakNanos = 100'000'000;

Status backupCancelled() { return {StatusCode::kClosed, "the backup was cancelled"}; }

bool isSourceDamage(const Status& failure) {
  return failure.code() == StatusCode::kStorageCorrupt || failure.code() == StatusCode::kIo;
}

}  // namespace

class BucketBackupJob::Breaks final : public Pauser {
 public:
  Breaks(const BucketBackupJob& backup, Pauser& pauser) : backup_(backup), pauser_(pauser) {}

  std::uint64_t nowNanos() const override { return pauser_.nowNanos(); }
  bool pause(std::uint64_t nanos) override {
    while (nanos > 0) {
      if (backup_.isCancelled()) return false;
      const std::uint64_t piece = std::min(nanos, kBreakNanos);
      if (!pauser_.pause(piece)) return false;
      nanos -= piece;
    }
    return !backup_.isCancelled();
  }

 private:
  const BucketBackupJob& backup_;
  Pauser& pauser_;
};

BucketBackupJob::BucketBackupJob(BucketBackupSource source, BucketBackupTarget target)
    : source_(std::move(source)),
      target_(std::move(target)),
      breaks_(std::make_unique<Breaks>(*this, *target_.pauser)),
      nonce_(randomNonce()),
      session_(*target_.store, *breaks_, randomSeed()),
      chains_(*target_.store, *breaks_, randomSeed()) {}

BucketBackupJob::~BucketBackupJob() = default;

Status BucketBackupJob::next(std::string& piece) {
  piece.clear();
  if (!failure_.ok()) return failure_;
  failure_ = step(piece);
  if (failure_.ok()) return {};
  // A cancelled backup may have failed because its pauses ended.
  if (isCancelled()) failure_ = backupCancelled();
  piece.clear();
  uploading_.reset();
  if (state_) state_->held = {};
  return failure_;
}

Status BucketBackupJob::step(std::string& piece) {
  if (isCancelled()) return backupCancelled();
  switch (step_) {
    case Step::kBegin:
      step_ = Step::kObjects;
      return begin(piece);
    case Step::kObjects:
      if (uploading_) return sendPart(piece);
      if (!waiting_.empty()) return beginObject(piece);
      step_ = Step::kFinish;
      [[fallthrough]];
    case Step::kFinish:
      step_ = Step::kDone;
      return finish(piece);
    case Step::kDone:
      break;
  }
  return {};
}

Status BucketBackupJob::begin(std::string& piece) {
  using Task = Status (BucketBackupJob::*)();
  if (Status checked = checkOptions(); !checked.ok()) return checked;
  const BucketHome home{session_, chains_, target_.url};
  if (Status settled = home.settleRoot(source_.root); !settled.ok()) return settled;
  SpineOwner owner = spineReader(*source_.root.id);
  owner.nonce = nonce_;
  owner.node = target_.node;
  claim_.emplace(session_, chains_, std::move(owner));
  const auto isBackup = [this](const FoundEntry& newest) { return checkBackup(newest); };
  if (const auto taken = claim_->take({isBackup, {}}); !taken.ok()) return taken.status();
  for (const Task task : {&BucketBackupJob::listBucket, &BucketBackupJob::takeState,
                          &BucketBackupJob::checkAge, &BucketBackupJob::planObjects}) {
    if (isCancelled()) return backupCancelled();
    if (Status done = (this->*task)(); !done.ok()) return done;
  }
  JsonLine(piece)
      .text("kind", "plan")
      .count("files", fileCount_)
      .count("bytes", bytes_)
      .count("present", presentCount_)
      .end();
  return {};
}

// Whatever is refused here is refused before the first byte is written.
Status BucketBackupJob::checkOptions() const {
  if (target_.keep < 1) return Status::invalid("at least one backup must be kept");
  if (!isNodeName(target_.node)) {
    return Status::invalid("the name of a node is 1 to " + std::to_string(kNodeNameSizeMax) +
                           " bytes of printable ASCII");
  }
  if (source_.root.id) return {};
  return {StatusCode::kStorageUnavailable,
          source_.directory + " has no database id: its disk was full when the server started"};
}

// The claim of a backup would end a server that has its home there.
Status BucketBackupJob::checkBackup(const FoundEntry& newest) const {
  if (newest.entry.address.empty()) return {};
  return {StatusCode::kConfiguration, target_.url + " is the home of a server, " +
                                          newest.entry.node +
                                          ": back up to another prefix of the bucket"};
}

Status BucketBackupJob::listBucket() {
  listedEntry_ = claim_->known() == nullptr ? 0 : claim_->known()->entry().number;
  for (const std::string_view prefix : {kBucketSegments, kBucketParts}) {
    const auto listed = session_.list(std::string(prefix));
    if (!listed.ok()) return listed.status();
    listed_.insert(listed_.end(), listed.value().begin(), listed.value().end());
  }
  return {};
}

Status BucketBackupJob::takeState() {
  auto taken = takeCommittedState(session_, source_.directory, source_.hold);
  if (!taken.ok()) return taken.status();
  state_ = std::move(taken).value();
  return {};
}

// A directory that lags behind the last backup was rolled back, or is a copy of the one that was
// backed up. What that one has dropped since may still be on its way out of the bucket.
Status BucketBackupJob::checkAge() {
  if (claim_->before() == nullptr) return {};
  const std::uint64_t edit = claim_->before()->entry.edit;
  if (state_->head->commit.edit >= edit) return {};
  return {StatusCode::kConfiguration,
          source_.directory + " is older than what was backed up last: it has edit " +
              std::to_string(state_->head->commit.edit) + ", the bucket has " +
              std::to_string(edit) + "; choose another prefix"};
}

Status BucketBackupJob::planObjects() {
  auto named = namedSegments(*state_, source_.directory);
  if (!named.ok()) return named.status();
  objects_ = std::move(named).value();
  const BucketObjects there = bucketObjectsIn(listed_);
  for (const auto& [hash, bytes] : objects_) {
    const auto found = there.find(hash);
    if (found != there.end() && found->second == bytes) {
      ++presentCount_;
      continue;
    }
    waiting_.push_back({hash, bytes});
    ++fileCount_;
    bytes_ += bytes;
  }
  return {};
}

// Reports an unreadable file of the source; the backup goes on with the others.
void BucketBackupJob::skipObject(const Status& damage, std::string& piece) {
  ++damagedCount_;
  const std::string from = file_names::join(source_.directory, uploading_->name);
  const bool isNamed = damage.message().find(from) != std::string::npos;
  JsonLine(piece)
      .text("kind", "file")
      .text("file", uploading_->name)
      .text("status", "damaged")
      .texts("problems", {isNamed ? damage.message() : from + ": " + damage.message()})
      .end();
  uploading_.reset();
}

Status BucketBackupJob::beginObject(std::string& piece) {
  Uploading& one = uploading_.emplace(Uploading{});
  one.object = waiting_.front();
  waiting_.pop_front();
  one.name = segmentFileOfHash(one.object.hash);
  auto file = source_.fs->openRead(file_names::join(source_.directory, one.name));
  if (!file.ok() && isSourceDamage(file.status())) {
    skipObject(file.status(), piece);
    return {};
  }
  if (!file.ok()) return file.status();
  one.from = std::move(file).value();
  ObjectUpload::Target target{BucketLayout(*source_.root.id).keyOf(SegmentPlace{one.object.hash}),
                              one.object.hash, target_.sizes};
  one.upload = std::make_unique<ObjectUpload>(session_, *one.from, std::move(target));
  return sendPart(piece);
}

Status BucketBackupJob::sendPart(std::string& piece) {
  Uploading& one = *uploading_;
  const Status sent = one.upload->next();
  if (!sent.ok() && isSourceDamage(sent)) {
    skipObject(sent, piece);
    return {};
  }
  if (!sent.ok()) return sent;
  if (!one.upload->isDone()) {
    JsonLine(piece)
        .text("kind", "progress")
        .text("file", one.name)
        .count("bytes", one.upload->sentBytes())
        .end();
    return {};
  }
  JsonLine(piece)
      .text("kind", "file")
      .text("file", one.name)
      .text("status", "ok")
      .count("bytes", one.object.bytes)
      .end();
  uploading_.reset();
  return {};
}

Status BucketBackupJob::finish(std::string& piece) {
  if (damagedCount_ == 0) {
    if (Status published = publish(); !published.ok()) return published;
    // The backup is complete. What is left is removed by the next one.
    if (const Status swept = sweep(); !swept.ok()) sweepFailure_ = swept.message();
  }
  if (state_) state_->held = {};
  tellEnd(piece);
  return {};
}

void BucketBackupJob::tellEnd(std::string& piece) const {
  JsonLine line(piece);
  line.text("kind", "end")
      .text("status", damagedCount_ == 0 ? "ok" : "damaged")
      .count("files", fileCount_ - damagedCount_)
      .count("bytes", bytes_)
      .count("present", presentCount_)
      .count("damaged", damagedCount_)
      .count("removed", removedCount_);
  if (!sweepFailure_.empty()) line.text("not_removed", sweepFailure_);
  if (damagedCount_ == 0) line.count("entry", claim_->known()->entry().number);
  line.text("database_id", textOf(*source_.root.id)).end();
}

Result<std::vector<RefsPart>> BucketBackupJob::uploadRefs() {
  const BucketLayout layout(*source_.root.id);
  RefsBefore before;
  if (claim_->before() != nullptr) before.parts = claim_->before()->entry.parts;
  std::map<std::string, std::uint64_t> sizes;
  for (const ListedObject& one : listed_) sizes[one.key] = one.sizeBytes;
  before.isWhole = std::ranges::all_of(before.parts, [&](const RefsPart& part) {
    const auto found = sizes.find(layout.keyOf(PartPlace{part.hash}));
    return found != sizes.end() && found->second == part.size + kRefsPartHeaderSize;
  });
  if (isCancelled()) return backupCancelled();
  return uploadRefsParts(session_, nonce_, before, state_->files->refs());
}

Status BucketBackupJob::publish() {
  auto parts = uploadRefs();
  if (!parts.ok()) return parts.status();
  PublishedState state;
  state.featuresToRead = source_.root.toRead | kRootWritten;
  state.featuresToWrite = kRootBackup;
  state.edit = state_->head->commit.edit;
  state.headCommit = state_->head->move.to;
  state.flushedSequence = state_->head->state.flushedSequence;
  state.parts = std::move(parts).value();
  return claim_->known() == nullptr ? claim_->begin(state) : claim_->publish(state);
}

Status BucketBackupJob::sweep() {
  SweepListing listing;
  listing.entryNumber = listedEntry_;
  for (const ListedObject& one : listed_) listing.keys.push_back(one.key);
  std::unordered_set<Sha256> named;
  for (const auto& [hash, bytes] : objects_) named.insert(hash);
  const BucketSweep sweep{session_, *claim_->known(), state_->files->refs(), listing, target_.keep};
  const auto keys = sweep.chooseKeys(std::move(named));
  if (!keys.ok()) return keys.status();
  for (const std::string& key : keys.value()) {
    if (isCancelled()) return backupCancelled();
    if (Status gone = session_.remove(key); !gone.ok()) return gone;
    ++removedCount_;
  }
  return {};
}

}  // namespace seriesdb
