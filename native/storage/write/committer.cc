#include "storage/write/committer.h"

#include <algorithm>
#include <future>
#include <memory>
#include <utility>

#include "common/base/clock.h"
#include "storage/compaction/ladder.h"
#include "storage/compactor/compaction_clock.h"
#include "storage/state/log_copy.h"
#include "storage/state/refusals.h"
#include "storage/write/removal.h"

namespace seriesdb {
namespace {

// One append takes at most about this much, so that memory and latency of a burst stay bounded.
constexpr std::uint64_t kBatchBytes = std::uint64_t{32} << 20;

// The maximum bytes of columns that return to their thread; nothing counts them while they wait.
constexpr std::uint64_t kSpentBytesMax = std::uint64_t{128} << 10;

SpentColumns spentOf(StagedSamples& samples) {
  return {std::move(samples.refs), std::move(samples.ts), std::move(samples.values)};
}

}  // namespace

Committer::Committer(const Owners& owners, Events events)
    : settings_(owners.settings),
      sources_(owners.sources),
      writes_(owners.writes),
      figures_(owners.figures),
      rejects_(settings_.fs, settings_.options.directory, figures_.counters),
      freezer_(owners, std::move(events.onFrozen)),
      log_(owners, freezer_, std::move(events.resume)) {
  // A read-only database accepts no requests, as after stop().
  if (settings_.options.isReadOnly) {
    isStopping_ = isEnded_ = true;
    return;
  }
  log_.noteSeriesRoom();
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

void Committer::freeze(std::function<void(Result<std::uint64_t>)> done, Freezer::Cause cause) {
  {
    const std::lock_guard lock(mutex_);
    if (!isStopping_) {
      freezes_.push_back({std::move(done), cause});
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

// False if the thread should end.
bool Committer::waitForWork(std::vector<Request>& batch, std::vector<Freeze>& freezes) {
  auto lock = lockCounting(mutex_, figures_.queueWaits);
  const auto isWork = [this] {
    return !queue_.empty() || !freezes_.empty() || !turns_.empty() || isStopping_;
  };
  wake_.wait_for(lock, log_.restTime(), isWork);
  takeBatch(batch);
  freezes.swap(freezes_);
  isEnding_ = isStopping_;
  return !isStopping_ || !batch.empty() || !freezes.empty() || !queue_.empty() ||
         !turns_.empty() || freezer_.isAnyPostponed();
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
  work();
  const std::lock_guard lock(mutex_);
  isEnded_ = true;
  ended_.notify_all();
}

void Committer::work() {
  std::vector<Request> batch;
  std::vector<Freeze> freezes;
  while (waitForWork(batch, freezes)) {
    freezer_.freezeBeforeRemovals(batch, isEnding_);
    if (!batch.empty()) commit(batch);
    batch.clear();
    if (freezer_.isTimeToFreeze()) static_cast<void>(freezer_.freezeNow().ok());
    for (auto& [done, cause] : freezes) done(freezer_.freezeNow(cause));
    freezes.clear();
    takeTurn();
    static_cast<void>(log_.syncByPolicy().ok());
    noteSettled();
    log_.lookForRoom();
  }
  // If the disk was full since the start, there is no WAL to close.
  if (!writes_.wal) return;
  closed_ = writes_.wal->close(writes_.nextSequence);
  if (!closed_.ok()) figures_.health.failWrites(closed_.message());
  noteSettled();
}

void Committer::noteSettled() {
  if (settings_.options.copy && writes_.wal) {
    settings_.options.copy->noteSettled(writes_.wal->settledEnd());
  }
}

// Samples that were there before need the copy, too: an earlier request with them may still wait.
template <typename Value>
void Committer::answer(const std::function<void(Result<Value>)>& done, Value value) {
  acknowledge(settings_.options.copy.get(), writes_.wal.get(), done,
              Result<Value>(std::move(value)));
}

std::uint64_t Committer::lastSequence() {
  const auto last = std::make_shared<std::promise<std::uint64_t>>();
  const bool isTaken = runInTurns([this, last] {
    last->set_value(writes_.nextSequence - 1);
    return false;
  });
  if (isTaken) return last->get_future().get();
  std::unique_lock lock(mutex_);
  ended_.wait(lock, [this] { return isEnded_; });
  return writes_.nextSequence - 1;
}

void Committer::commit(std::vector<Request>& batch) {
  const std::uint64_t begin = monotonicNanos();
  Status logged = log_.append(batch);
  if (logged.ok()) logged = log_.syncByPolicy();
  noteSettled();
  auto& counters = figures_.counters;
  counters.walAppendNanos.fetch_add(monotonicNanos() - begin, std::memory_order_relaxed);
  if (!logged.ok()) counters.walAppendFailed.fetch_add(batch.size(), std::memory_order_relaxed);
  const StageTimer timer(figures_.stages, Stage::kApply);
  for (Request& request : batch) finish(request, request.refused.ok() ? logged : request.refused);
  log_.noteNewSeries();
}

void Committer::apply(const StagedSamples& samples) {
  const auto view = sources_.view.current();
  view->active->append(samples.refs, samples.ts, samples.values);
  const auto index = sources_.index.writable();
  index->noteSamples(samples.refs, samples.ts);
}

void Committer::finish(Request& request, const Status& logged) {
  const StagedSamples& samples = request.samples;
  const std::uint64_t rejectedCount = rejectedCountOf(samples.rejected);
  auto& counters = figures_.counters;
  counters.queueDepth.fetch_sub(1, std::memory_order_relaxed);
  if (request.annotation) return finishAnnotation(request, logged);
  if (request.removal) return finishRemoval(request, logged);
  if (!logged.ok()) {
    counters.rejected.fetch_add(samples.refs.size() + rejectedCount, std::memory_order_relaxed);
    counters.requestBytes.fetch_sub(request.bytes, std::memory_order_relaxed);
    request.done(logged);
    return;
  }
  if (!samples.refs.empty()) apply(samples);
  counters.ingested.fetch_add(samples.refs.size(), std::memory_order_relaxed);
  counters.rejected.fetch_add(rejectedCount, std::memory_order_relaxed);
  counters.legacyLines.fetch_add(samples.legacyLineCount, std::memory_order_relaxed);
  counters.inexact.fetch_add(samples.inexactCount, std::memory_order_relaxed);
  IngestReport report{.ingested = samples.refs.size(),
                      .rejected = rejectedCount,
                      .skipped = samples.skipped,
                      .lineCount = samples.lineCount};
  const TimestampUnit unit = settings_.options.unit;
  const Timestamp wall = wallOf(settings_.options);
  report.suspects =
      findUnitSuspects(samples.ts, unit, wall / unitsPerSecond(unit), samples.conversion);
  noteArrivals(samples.ts, report.suspects.greatest, wall);
  counters.unitSuspect.fetch_add(report.suspects.count, std::memory_order_relaxed);
  for (const RejectedLine& line : samples.rejected) {
    report.rejectedByCode[line.code] += line.count;
  }
  const std::size_t shown = std::min(samples.rejected.size(), kReportedErrorsMax);
  for (std::size_t i = 0; i < shown; ++i) {
    const RejectedLine& line = samples.rejected[i];
    report.errors.push_back({line.line, line.code, line.error, {}});
  }
  counters.requestBytes.fetch_sub(request.bytes, std::memory_order_relaxed);
  if (!samples.rejected.empty()) rejects_.add(std::move(request.samples.rejected));
  if (request.bytes <= kSpentBytesMax) report.spent = spentOf(request.samples);
  request.samples = {};
  answer(request.done, std::move(report));
}

// Timestamps far ahead of our clock say nothing about the clients' clocks, so they are ignored.
void Committer::noteArrivals(std::span<const Timestamp> ts, Timestamp greatest, Timestamp wall) {
  const Timestamp last = later(wall, days(1, settings_.options.unit));
  if (greatest <= last) return figures_.arrivals.note(greatest);
  for (const Timestamp one : ts) {
    if (one <= last) figures_.arrivals.note(one);
  }
}

void Committer::finishAnnotation(Request& request, const Status& logged) {
  figures_.counters.requestBytes.fetch_sub(request.bytes, std::memory_order_relaxed);
  const auto write = std::move(request.annotation);
  if (!logged.ok()) return write->done(logged);
  sources_.annotations.add(write->annotation);
  answer(write->done, std::move(write->annotation));
}

void Committer::finishRemoval(Request& request, const Status& logged) {
  figures_.counters.requestBytes.fetch_sub(request.bytes, std::memory_order_relaxed);
  const auto removal = std::move(request.removal);
  if (!logged.ok()) return removal->done(logged);
  std::shared_ptr<const Tombstone> applied;
  if (!removal->tombstone.refs.empty()) {
    freezer_.noteRemoval(removal->tombstone);
    applied = applyRemoval(sources_.view, writes_, std::move(removal->tombstone));
  }
  removal->done(std::move(applied));
}

}  // namespace seriesdb
