#include "write/committer.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "base/clock.h"
#include "compaction/ladder.h"
#include "upkeep/compaction_clock.h"
#include "write/missing_samples.h"
#include "write/removal.h"
#include "write/resolve_pending.h"

namespace seriesdb {
namespace {

// One append takes at most about this much, so that memory and latency of a burst stay bounded.
constexpr std::uint64_t kBatchBytes = std::uint64_t{32} << 20;
// Frozen memtables that may wait for the flusher before the active one just keeps growing.
constexpr std::size_t kFrozenMax = 4;
// How often a full disk is looked at again, and the free bytes that end it.
constexpr std::uint64_t kRoomLookMs = 500;
constexpr std::uint64_t kRoomToGoOn = std::uint64_t{1} << 20;
}  // namespace

Committer::Committer(EngineState& state, std::function<void()> onFrozen)
    : state_(state),
      onFrozen_(std::move(onFrozen)),
      rejects_(state),
      records_(state),
      frozenAnnotationBytes_(state.annotations.memoryBytes()),
      lastFreezeMs_(monotonicMs()) {
  // Nothing comes then, as after the end.
  if (state_.options.isReadOnly) {
    isStopping_ = true;
    return;
  }
  thread_ = std::thread([this] { run(); });
}

Committer::~Committer() { static_cast<void>(stop().ok()); }

void Committer::submit(Request request) {
  {
    const std::lock_guard lock(mutex_);
    if (!isStopping_) {
      state_.counters.queueDepth.fetch_add(1, std::memory_order_relaxed);
      queue_.push_back(std::move(request));
      wake_.notify_one();
      return;
    }
  }
  state_.counters.requestBytes.fetch_sub(request.bytes, std::memory_order_relaxed);
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

// False when the thread should end.
bool Committer::waitForWork(std::vector<Request>& batch, std::vector<FreezeDone>& freezes) {
  std::unique_lock lock(mutex_);
  const auto isWork = [this] {
    return !queue_.empty() || !freezes_.empty() || !turns_.empty() || isStopping_;
  };
  wake_.wait_for(lock, std::chrono::milliseconds(100), isWork);
  std::uint64_t bytes = 0;
  std::size_t taken = 0;
  // One that looks at what is there comes alone: what stands before it in a batch is not yet seen.
  const auto isAlone = [this](std::size_t at) { return queue_[at].isOnlyMissing; };
  while (taken < queue_.size() && bytes < kBatchBytes) {
    if (taken > 0 && (isAlone(taken) || isAlone(taken - 1))) break;
    bytes += queue_[taken++].bytes;
  }
  const auto end = queue_.begin() + static_cast<std::ptrdiff_t>(taken);
  batch.assign(std::make_move_iterator(queue_.begin()), std::make_move_iterator(end));
  queue_.erase(queue_.begin(), end);
  freezes.swap(freezes_);
  return !isStopping_ || !batch.empty() || !freezes.empty() || !queue_.empty() || !turns_.empty();
}

// What came first ends first.
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
    if (!batch.empty()) commit(batch);
    batch.clear();
    if (isTimeToFreeze()) static_cast<void>(freezeNow().ok());
    for (auto& done : freezes) done(freezeNow());
    freezes.clear();
    takeTurn();
    static_cast<void>(syncByPolicy().ok());
    lookForRoom();
  }
  closed_ = state_.wal->close(state_.nextSequence);
  if (!closed_.ok()) state_.health.failWrites(closed_.message());
}

// A full disk is forgotten when there is room again, also when nobody dares to write: who asks
// whether the database takes writes would else never send the write that shows it.
void Committer::lookForRoom() {
  const std::uint64_t now = monotonicMs();
  if (now - lastRoomLookMs_ < kRoomLookMs) return;
  lastRoomLookMs_ = now;
  if (state_.wal->isBroken() || (state_.reserve.isOut() && !state_.reserve.restore())) return;
  if (!state_.health.isReported(Health::kDiskTopic)) return;
  const auto free = state_.fs.freeBytes(state_.options.directory);
  if (free.ok() && free.value() >= kRoomToGoOn) state_.health.report(Health::kDiskTopic, "");
}

void Committer::commit(std::vector<Request>& batch) {
  const std::uint64_t begin = monotonicNanos();
  Status logged = log(batch);
  if (logged.ok()) logged = syncByPolicy();
  auto& counters = state_.counters;
  counters.walAppendNanos.fetch_add(monotonicNanos() - begin, std::memory_order_relaxed);
  if (!logged.ok()) counters.walAppendFailed.fetch_add(batch.size(), std::memory_order_relaxed);
  const StageTimer timer(state_.stages, Stage::kApply);
  for (Request& request : batch) finish(request, request.refused.ok() ? logged : request.refused);
}

// Appends one record for each request with samples, an annotation or a removal.
Status Committer::log(std::vector<Request>& batch) {
  Status writable = checkWritable();
  if (!writable.ok()) return writable;
  records_.begin();
  for (Request& request : batch) addRecord(request);
  return append();
}

Status Committer::checkWritable() {
  if (state_.health.isReadOnly()) {
    return {StatusCode::kStorageUnavailable, "the database is read-only since a log write failed"};
  }
  if (!state_.reserve.isOut()) return {};
  Status full(StatusCode::kStorageUnavailable, "the disk is full; what is left is for a flush");
  state_.health.report(Health::kDiskTopic, full.message());
  return full;
}

void Committer::addRecord(Request& request) {
  if (request.annotation) return records_.add(request.annotation->annotation);
  if (request.removal) {
    if (prepareRemoval(request)) {
      records_.add(request.removal->tombstone, request.removal->payload);
    }
    return;
  }
  request.refused = resolve(request);
  if (request.refused.ok()) records_.add(request.samples);
}

Status Committer::append() {
  if (records_.count() == 0) return Status::okStatus();
  const std::uint64_t begin = monotonicNanos();
  Status appended = state_.wal->append(records_.bytes());
  state_.stages.record(Stage::kWalAppend, monotonicNanos() - begin);
  if (appended.ok()) {
    records_.keep();
    state_.health.report(Health::kDiskTopic, "");
    state_.counters.walAppends.fetch_add(records_.count(), std::memory_order_relaxed);
    state_.counters.walBytes.fetch_add(records_.bytes().size(), std::memory_order_relaxed);
    return appended;
  }
  records_.takeBack();
  // A log that is broken is told once, by what ends the writes.
  if (state_.wal->isBroken()) {
    state_.health.failWrites(appended.message());
  } else {
    state_.health.report(Health::kDiskTopic, appended.message());
  }
  const auto view = state_.view.current();
  isFlushUrgent_ = state_.reserve.isHeld() && hasUnflushed(*view);
  return appended;
}

// Leaves what is to be stored, of series that are all there.
Status Committer::resolve(Request& request) const {
  const auto index = state_.index.writable();
  if (request.isOnlyMissing) {
    Status kept = keepMissing(state_.view.current(), *index, request.samples);
    if (!kept.ok()) return kept;
  }
  return resolvePending(*index, request.samples, state_.options.series);
}

void Committer::findSeries(RemovalWrite& removal) const {
  auto& refs = removal.tombstone.refs;
  const auto index = state_.index.current();
  for (const SeriesId id : removal.series) {
    const auto ref = index->findById(id);
    if (ref) refs.push_back(*ref);
  }
  std::sort(refs.begin(), refs.end());
  refs.erase(std::unique(refs.begin(), refs.end()), refs.end());
  removal.room = refs.size() + kTombstoneWeight;
  if (!refs.empty()) encodeTombstone(removal.payload, removal.tombstone);
}

// False when there is nothing to log: none of the series is there, or the removal is refused.
bool Committer::prepareRemoval(Request& request) {
  RemovalWrite& removal = *request.removal;
  Tombstone& tombstone = removal.tombstone;
  if (removal.payload.empty()) findSeries(removal);
  if (tombstone.refs.empty()) return false;
  const std::uint64_t room = state_.options.tombstoneRefsMax;
  const auto view = state_.view.current();
  const TombstoneList& tombstones = view->tombstones;
  const std::uint64_t held = tombstones.refCount() + tombstones.size() * kTombstoneWeight;
  if (removal.room > room - std::min(room, held)) {
    request.refused = {StatusCode::kQueryLimit,
                       "there are as many deletions that still mask samples as there may be: " +
                           std::to_string(tombstones.size()) + ", of " +
                           std::to_string(tombstones.refCount()) + " series"};
    tombstone.refs.clear();
    return false;
  }
  return true;
}

Status Committer::syncByPolicy() {
  const EngineOptions& options = state_.options;
  if (options.fsync == FsyncPolicy::kNone) {
    state_.wal->settle();
    return Status::okStatus();
  }
  if (options.fsync == FsyncPolicy::kInterval) {
    const std::uint64_t now = monotonicMs();
    if (now - lastSyncMs_ < options.fsyncIntervalMs) return Status::okStatus();
    lastSyncMs_ = now;
  }
  if (state_.wal->isSynced()) return state_.wal->sync();
  const StageTimer timer(state_.stages, Stage::kWalSync);
  Status synced = state_.wal->sync();
  if (synced.ok()) {
    state_.counters.walSyncs.fetch_add(1, std::memory_order_relaxed);
  } else {
    state_.health.failWrites(synced.message());
  }
  return synced;
}

void Committer::apply(const StagedSamples& samples) {
  const auto view = state_.view.current();
  view->active->append(samples.refs, samples.ts, samples.values);
  const auto index = state_.index.writable();
  index->noteSamples(samples.refs, samples.ts);
}

void Committer::finish(Request& request, const Status& logged) {
  const StagedSamples& samples = request.samples;
  auto& counters = state_.counters;
  counters.queueDepth.fetch_sub(1, std::memory_order_relaxed);
  if (request.annotation) return finishAnnotation(request, logged);
  if (request.removal) return finishRemoval(request, logged);
  if (!logged.ok()) {
    counters.rejected.fetch_add(samples.refs.size() + samples.rejected.size(),
                                std::memory_order_relaxed);
    counters.requestBytes.fetch_sub(request.bytes, std::memory_order_relaxed);
    request.done(logged);
    return;
  }
  if (!samples.refs.empty()) apply(samples);
  counters.ingested.fetch_add(samples.refs.size(), std::memory_order_relaxed);
  counters.rejected.fetch_add(samples.rejected.size(), std::memory_order_relaxed);
  counters.legacyLines.fetch_add(samples.legacyLineCount, std::memory_order_relaxed);
  counters.inexact.fetch_add(samples.inexactCount, std::memory_order_relaxed);
  IngestReport report{samples.refs.size(), samples.rejected.size(), {}, {}};
  const TimestampUnit unit = state_.options.unit;
  const Timestamp wall = wallOf(state_);
  report.suspects = findUnitSuspects(samples.ts, unit, wall / unitsPerSecond(unit));
  noteArrivals(samples.ts, report.suspects.greatest, wall);
  counters.unitSuspect.fetch_add(report.suspects.count, std::memory_order_relaxed);
  const std::size_t shown = std::min(samples.rejected.size(), kReportedErrorsMax);
  for (std::size_t i = 0; i < shown; ++i) {
    const RejectedLine& line = samples.rejected[i];
    report.errors.push_back({line.line, line.code, line.error, {}});
  }
  counters.requestBytes.fetch_sub(request.bytes, std::memory_order_relaxed);
  if (!samples.rejected.empty()) rejects_.add(std::move(request.samples.rejected));
  request.samples = {};
  request.done(std::move(report));
}

// What is far ahead of our clock tells nothing of the clients'.
void Committer::noteArrivals(std::span<const Timestamp> ts, Timestamp greatest, Timestamp wall) {
  const Timestamp last = later(wall, days(1, state_.options.unit));
  if (greatest <= last) return state_.arrivals.note(greatest);
  for (const Timestamp one : ts) {
    if (one <= last) state_.arrivals.note(one);
  }
}

void Committer::finishAnnotation(Request& request, const Status& logged) {
  state_.counters.requestBytes.fetch_sub(request.bytes, std::memory_order_relaxed);
  const auto write = std::move(request.annotation);
  if (!logged.ok()) return write->done(logged);
  state_.annotations.add(write->annotation);
  write->done(std::move(write->annotation));
}

void Committer::finishRemoval(Request& request, const Status& logged) {
  state_.counters.requestBytes.fetch_sub(request.bytes, std::memory_order_relaxed);
  const auto removal = std::move(request.removal);
  if (!logged.ok()) return removal->done(logged);
  std::shared_ptr<const Tombstone> applied;
  if (!removal->tombstone.refs.empty()) {
    applied = applyRemoval(state_, std::move(removal->tombstone));
  }
  removal->done(std::move(applied));
}

bool Committer::hasUnflushed(const View& view) const {
  return view.active->sampleCount() > 0 || state_.unfrozenTombstones > 0 ||
         state_.annotations.count() > state_.frozenAnnotationCount;
}

bool Committer::isTimeToFreeze() const {
  const auto view = state_.view.current();
  if (!hasUnflushed(*view) || view->frozen.size() >= kFrozenMax) return false;
  // A flush frees the log of a full disk.
  if (isFlushUrgent_) return true;
  const EngineLimits limits = state_.limits.current();
  // Without room ingest is refused until a flush, so the flush must come before that.
  const std::uint64_t room = memoryUseOf(state_).roomToIngest(limits.memoryLimitBytes);
  const std::uint64_t full = std::min(limits.memtableMaxBytes, room / 2);
  const std::uint64_t annotationBytes = state_.annotations.memoryBytes() - frozenAnnotationBytes_;
  if (view->active->memoryBytes() + annotationBytes >= full) return true;
  return limits.flushIntervalMs > 0 && monotonicMs() - lastFreezeMs_ >= limits.flushIntervalMs;
}

Result<std::uint64_t> Committer::freezeNow() {
  lastFreezeMs_ = monotonicMs();
  isFlushUrgent_ = false;
  const auto current = state_.view.current();
  const auto active = current->active;
  if (!hasUnflushed(*current)) {
    // Not the last number: a record whose sync failed was never applied, and is never flushed.
    return current->frozen.empty() ? 0 : current->frozen.back()->sequenceMax;
  }
  Status rotated = state_.wal->rotate(state_.nextSequence);
  const bool isFull = rotated.code() == StatusCode::kStorageUnavailable && !state_.wal->isBroken();
  if (isFull && state_.reserve.release()) rotated = state_.wal->rotate(state_.nextSequence);
  if (!rotated.ok()) {
    state_.health.report("rotate", "cannot start a new log file: " + rotated.message());
    if (state_.wal->isBroken()) state_.health.failWrites(rotated.message());
    return rotated;
  }
  state_.health.report("rotate", "");
  state_.counters.walNumber.store(state_.wal->number(), std::memory_order_relaxed);
  auto frozen = std::make_shared<FrozenMemtable>();
  frozen->memtable = active;
  frozen->walFloor = state_.wal->number();
  // The file before ends with it; the one after the floor's begin comes next.
  frozen->sequenceMax = state_.nextSequence - 2;
  frozen->annotationCount = state_.annotations.count();
  frozen->seriesCount = state_.loggedSeriesCount;
  frozen->descriptors = std::exchange(state_.activeDescriptors, {});
  state_.frozenAnnotationCount = frozen->annotationCount;
  state_.unfrozenTombstones = 0;
  frozenAnnotationBytes_ = state_.annotations.memoryBytes();
  state_.view.update([&](View& view) {
    view.frozen.push_back(frozen);
    view.active = state_.makeMemtable();
    view.activeErasures = 0;
  });
  onFrozen_();
  return frozen->sequenceMax;
}

}  // namespace seriesdb
