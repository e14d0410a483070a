#include "shipping/log_shipper.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "common/base/clock.h"

namespace seriesdb {
namespace {

// How long one try of a create goes on before the shipper looks whether it should end.
constexpr std::uint64_t kTryNanos = 2'000'000'000;
constexpr std::uint64_t kShipperIdleNanos = 60'000'000'000;
// How exactly the age of records is known: in time, or as a part of the age.
constexpr std::uint64_t kAgeStepNanos = 10'000'000;
constexpr std::uint64_t kAgesPerAge = 64;

std::uint64_t nanosUntil(std::uint64_t time) {
  const std::uint64_t now = monotonicNanos();
  return time > now ? time - now : 0;
}

Status fencedBy(const GroupPlace& place) {
  return {StatusCode::kFenced,
          "another owner claimed the database in the bucket: it ended the log of epoch " +
              std::to_string(place.epoch) + "; this server does not take writes any more"};
}

}  // namespace

LogShipper::LogShipper(Target target, Begin begin, Events events)
    : target_(std::move(target)),
      events_(std::move(events)),
      layout_(target_.database),
      tail_(target_.fs, target_.directory, begin.place),
      place_{target_.epoch, 1},
      settled_{begin.place.file, begin.place.offset, 0},
      shippedEnd_(begin.place),
      shippedSequence_(begin.sequence),
      files_(std::move(begin.files)) {
  thread_ = std::thread([this] { run(); });
}

LogShipper::~LogShipper() { finish(0); }

void LogShipper::noteSettled(const WalEnd& end) {
  const std::lock_guard lock(mutex_);
  const WalPlace before{settled_.number, settled_.size};
  if (WalPlace{end.number, end.size} <= before) return;
  // Opens a file only where the log went on in the next one.
  settledBytes_ += walBytesBetween(target_.fs, target_.directory, before, end);
  settled_ = end;
  noteAge({end.number, end.size});
  wake_.notify_one();
}

bool LogShipper::awaitShipped(std::uint64_t sequence, const std::function<bool()>& isStopped) {
  std::unique_lock lock(mutex_);
  const auto isThere = [this, sequence] { return isEnded_ || shippedSequence_ >= sequence; };
  while (!isThere()) {
    shipped_.wait_for(lock, std::chrono::milliseconds(100), isThere);
    if (isStopped()) break;
  }
  return shippedSequence_ >= sequence;
}

std::optional<GroupPlace> LogShipper::beginOf(std::uint64_t file) const {
  const std::lock_guard lock(mutex_);
  const auto found = files_.find(file);
  return found == files_.end() ? std::nullopt : std::optional(found->second);
}

void LogShipper::forgetFilesBelow(std::uint64_t file) {
  const std::lock_guard lock(mutex_);
  files_.erase(files_.begin(), files_.lower_bound(file));
}

void LogShipper::finish(std::uint64_t deadlineNanos) {
  {
    const std::lock_guard lock(mutex_);
    if (!isFinishing_) finishNanos_ = deadlineNanos;
    isFinishing_ = true;
    wake_.notify_one();
  }
  if (thread_.joinable()) thread_.join();
}

LogShipper::Figures LogShipper::figures() const {
  const std::lock_guard lock(mutex_);
  Figures now = figures_;
  now.unshippedBytes = settledBytes_ - std::min(settledBytes_, now.shippedBytes);
  now.lagNanos = ageNanos();
  return now;
}

std::uint64_t LogShipper::firstFileNeeded() const {
  const std::lock_guard lock(mutex_);
  return shippedEnd_.file;
}

std::uint64_t LogShipper::lagNanos() const {
  const std::lock_guard lock(mutex_);
  return ageNanos();
}

// Records that are settled soon after one another count as settled at once, so that a long outage
// leaves few times. REQUIRES: the lock, like the next two.
void LogShipper::noteAge(const WalPlace& end) {
  const std::uint64_t now = monotonicNanos();
  const std::uint64_t step = std::max(kAgeStepNanos, ageNanos() / kAgesPerAge);
  if (!unshipped_.empty() && now - unshipped_.back().sinceNanos < step) {
    unshipped_.back().end = end;
  } else {
    unshipped_.push_back({end, now});
  }
}

void LogShipper::forgetAges() {
  while (!unshipped_.empty() && unshipped_.front().end <= shippedEnd_) unshipped_.pop_front();
}

std::uint64_t LogShipper::ageNanos() const {
  return unshipped_.empty() ? 0 : monotonicNanos() - unshipped_.front().sinceNanos;
}

bool LogShipper::isOver() const {
  const std::lock_guard lock(mutex_);
  return isEnded_ || (isFinishing_ && monotonicNanos() >= finishNanos_);
}

void LogShipper::run() {
  while (awaitWork() && ship()) continue;
}

// Waits for records, and for the time of the next group. False: the thread should end.
bool LogShipper::awaitWork() {
  std::unique_lock lock(mutex_);
  const auto isWork = [this] {
    return isFinishing_ || shippedEnd_ < WalPlace{settled_.number, settled_.size};
  };
  while (!isWork()) wake_.wait_for(lock, std::chrono::nanoseconds(kShipperIdleNanos), isWork);
  const std::uint64_t next = lastBeginNanos_ + target_.groupMs * 1'000'000;
  if (!isFull_ && !isFinishing_) {
    wake_.wait_for(lock, std::chrono::nanoseconds(nanosUntil(next)),
                   [this] { return isFinishing_; });
  }
  const bool isLeft = shippedEnd_ < WalPlace{settled_.number, settled_.size};
  return isLeft || !isFinishing_;
}

bool LogShipper::ship() {
  WalEnd settled;
  {
    const std::lock_guard lock(mutex_);
    settled = settled_;
  }
  lastBeginNanos_ = monotonicNanos();
  auto run = tail_.next(settled);
  if (!run.ok()) {
    end(run.status());
    return false;
  }
  if (!run.value()) {
    // Only a header was left.
    const std::lock_guard lock(mutex_);
    shippedEnd_ = std::max(shippedEnd_, WalPlace{settled.number, settled.size});
    forgetAges();
    return true;
  }
  // A group has records of one file, so that what was waiting in the next one needs another.
  run.value()->isFull |= run.value()->file < settled.number;
  return create(std::move(*run.value()));
}

LogGroup LogShipper::groupOf(RecordRun& run) const {
  LogGroup group;
  group.link = {target_.database, target_.nonce, before_};
  group.place = place_;
  group.file = run.file;
  group.firstSequence = run.firstSequence;
  group.lastSequence = run.lastSequence;
  group.records = std::move(run.records);
  return group;
}

bool LogShipper::create(RecordRun run) {
  recordBytes_ = run.records.size();
  auto bytes = encodeGroup(groupOf(run));
  if (!bytes.ok()) {
    end(Status::corrupt("the WAL cannot be copied: " + bytes.status().message()));
    return false;
  }
  Status begun = target_.chain.begin(layout_.keyOf(place_), std::move(bytes).value());
  if (!begun.ok()) {
    end(begun);
    return false;
  }
  const Sha256 hash = target_.chain.pending()->hash();
  for (;;) {
    const Created created = target_.chain.settle(target_.pauser.nowNanos() + kTryNanos);
    if (created.isTaken()) {
      end(fencedBy(place_));
      return false;
    }
    if (created.isMine()) break;
    events_.onTrouble("the bucket does not take the log: " + created.reason);
    if (isOver()) return false;
  }
  events_.onTrouble({});
  take(run, hash);
  events_.onShipped(run.end);
  return true;
}

void LogShipper::take(const RecordRun& run, const Sha256& hash) {
  tail_.moveTo(run.end);
  isFull_ = run.isFull;
  before_ = hash;
  {
    const std::lock_guard lock(mutex_);
    if (run.isFileBegin) files_[run.file] = place_;
    shippedEnd_ = run.end;
    shippedSequence_ = run.lastSequence;
    ++figures_.groups;
    figures_.shippedBytes += recordBytes_;
    forgetAges();
    shipped_.notify_all();
  }
  ++place_.number;
}

void LogShipper::end(const Status& why) {
  {
    const std::lock_guard lock(mutex_);
    isEnded_ = true;
    shipped_.notify_all();
  }
  events_.onEnded(why);
}

}  // namespace seriesdb
