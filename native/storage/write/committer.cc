#include "storage/write/committer.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "common/base/clock.h"
#include "storage/state/refusals.h"

namespace seriesdb {
namespace {

// One append takes at most about this much, so that memory and latency of a burst stay bounded.
constexpr std::uint64_t kBatchBytes = std::uint64_t{32} << 20;

}  // namespace

Committer::Committer(const Owners& owners, Events events)
    : settings_(owners.settings),
      sources_(owners.sources),
      writes_(owners.writes),
      room_(owners.room),
      figures_(owners.figures),
      events_(std::move(events)),
      rejects_(settings_.fs, settings_.options.directory, figures_.counters),
      records_(sources_, writes_, figures_.counters),
      states_(settings_.options.deletionStatesMax, settings_.options.deletionStateMs),
      frozenAnnotationBytes_(sources_.annotations.memoryBytes()),
      syncs_(settings_.options.fsync, settings_.options.fsyncIntervalMs),
      lastFreezeMs_(monotonicMs()),
      // If the start released the reserve, a flush must free the WAL.
      isFlushUrgent_(room_.reserve.isOut()) {
  // A read-only database accepts no requests, as after stop().
  if (settings_.options.isReadOnly) {
    isStopping_ = true;
    return;
  }
  noteSeriesRoom();
  thread_ = std::thread([this] { run(); });
}

Committer::~Committer() { static_cast<void>(stop().ok()); }

void Committer::submit(Request request) {
  {
    const auto lock = lockCounting(mutex_, figures_.queueWaits);
    if (!isStopping_) {
      figures_.counters.queueDepth.fetch_add(1, std::memory_order_relaxed);
      queue_.push_back(std::move(request));
      wake_.notify_one();
      return;
    }
  }
  figures_.counters.requestBytes.fetch_sub(request.bytes, std::memory_order_relaxed);
  const Status closed = closedDatabase();
  if (request.annotation) return request.annotation->done(closed);
  if (request.removal) return request.removal->done(closed);
  request.done(closed);
}

void Committer::freeze(FreezeDone done) {
  {
    const std::lock_guard lock(mutex_);
    if (!isStopping_) {
      freezes_.push_back(std::move(done));
      wake_.notify_one();
      return;
    }
  }
  done(closedDatabase());
}

bool Committer::runInTurns(Turn turn) {
  const std::lock_guard lock(mutex_);
  if (isStopping_) return false;
  turns_.push_back(std::move(turn));
  wake_.notify_one();
  return true;
}

Status Committer::stop() {
  {
    const std::lock_guard lock(mutex_);
    isStopping_ = true;
    wake_.notify_one();
  }
  if (thread_.joinable()) thread_.join();
  rejects_.stop();
  return closed_;
}

// How long the thread may sleep without requests. It wakes to look for free space, to freeze on
// time, and to sync at the end of an interval.
std::chrono::milliseconds Committer::restTime() const {
  constexpr std::uint64_t kLookMs = 100;
  const bool awaitsSync =
      settings_.options.fsync == FsyncPolicy::kInterval && !writes_.wal->isSynced();
  const std::uint64_t rest = awaitsSync ? syncs_.restMs(monotonicMs()) : kLookMs;
  return std::chrono::milliseconds(std::min(rest, kLookMs));
}

// False if the thread should end.
bool Committer::waitForWork(std::vector<Request>& batch, std::vector<FreezeDone>& freezes) {
  auto lock = lockCounting(mutex_, figures_.queueWaits);
  const auto isWork = [this] {
    return !queue_.empty() || !freezes_.empty() || !turns_.empty() || isStopping_;
  };
  wake_.wait_for(lock, restTime(), isWork);
  takeBatch(batch);
  freezes.swap(freezes_);
  isEnding_ = isStopping_;
  return !isStopping_ || !batch.empty() || !freezes.empty() || !queue_.empty() ||
         !turns_.empty() || !postponed_.empty();
}

// REQUIRES: the lock.
void Committer::takeBatch(std::vector<Request>& batch) {
  std::uint64_t bytes = 0;
  std::size_t taken = 0;
  // A request that checks for existing samples starts a batch: it could not see earlier requests of
  // its own batch.
  const auto isAlone = [this](std::size_t at) { return queue_[at].isOnlyMissing; };
  // A deletion starts a batch: the committer may first freeze the memtable with all earlier
  // requests.
  const auto isFirstRemoval = [this](std::size_t at) {
    return queue_[at].removal && !queue_[at - 1].removal;
  };
  while (taken < queue_.size() && bytes < kBatchBytes) {
    if (taken > 0 && (isAlone(taken) || isAlone(taken - 1) || isFirstRemoval(taken))) break;
    bytes += queue_[taken++].bytes;
  }
  const auto end = queue_.begin() + static_cast<std::ptrdiff_t>(taken);
  batch.assign(std::make_move_iterator(queue_.begin()), std::make_move_iterator(end));
  queue_.erase(queue_.begin(), end);
}

// Requests finish in the order of arrival.
void Committer::takeTurn() {
  Turn turn;
  {
    const std::lock_guard lock(mutex_);
    if (turns_.empty()) return;
    turn = std::move(turns_.front());
    turns_.pop_front();
  }
  if (!turn()) return;
  const std::lock_guard lock(mutex_);
  turns_.push_front(std::move(turn));
}

void Committer::run() {
  std::vector<Request> batch;
  std::vector<FreezeDone> freezes;
  while (waitForWork(batch, freezes)) {
    freezeBeforeRemovals(batch);
    if (!batch.empty()) commit(batch);
    batch.clear();
    if (isTimeToFreeze()) static_cast<void>(freezeNow().ok());
    for (auto& done : freezes) done(freezeNow());
    freezes.clear();
    takeTurn();
    static_cast<void>(syncByPolicy().ok());
    lookForRoom();
  }
  // If the disk was full since the start, there is no WAL to close.
  if (!writes_.wal) return;
  closed_ = writes_.wal->close(writes_.nextSequence);
  if (!closed_.ok()) figures_.health.failWrites(closed_.message());
}

void Committer::commit(std::vector<Request>& batch) {
  const std::uint64_t begin = monotonicNanos();
  Status logged = log(batch);
  if (logged.ok()) logged = syncByPolicy();
  auto& counters = figures_.counters;
  counters.walAppendNanos.fetch_add(monotonicNanos() - begin, std::memory_order_relaxed);
  if (!logged.ok()) counters.walAppendFailed.fetch_add(batch.size(), std::memory_order_relaxed);
  const StageTimer timer(figures_.stages, Stage::kApply);
  for (Request& request : batch) finish(request, request.refused.ok() ? logged : request.refused);
  if (sources_.createdCount() != seriesNoted_) noteSeriesRoom();
}

}  // namespace seriesdb
