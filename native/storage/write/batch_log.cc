#include "storage/write/batch_log.h"

#include <algorithm>
#include <limits>
#include <string>
#include <utility>

#include "common/base/clock.h"
#include "storage/state/log_copy.h"
#include "storage/state/refusals.h"
#include "storage/write/missing_samples.h"
#include "storage/write/removal.h"
#include "storage/write/resolve_pending.h"

namespace seriesdb {
namespace {

// The interval of checks of a full disk, and the free bytes that end that state.
constexpr std::uint64_t kRoomLookMs = 500;
constexpr std::uint64_t kRoomToGoOn = std::uint64_t{1} << 20;
constexpr const char* kSeriesTopic = "series";
// How long the health reason stays after the last refused new series.
constexpr std::uint64_t kSeriesToldMs = 60'000;

std::size_t recordSizeMaxOf(const EngineOptions& options) {
  return options.copy ? options.copy->recordSizeMax() : std::numeric_limits<std::size_t>::max();
}

}  // namespace

BatchLog::BatchLog(const CommitOwners& owners, Freezer& freezer, std::function<Status()> resume)
    : settings_(owners.settings),
      sources_(owners.sources),
      writes_(owners.writes),
      room_(owners.room),
      figures_(owners.figures),
      freezer_(freezer),
      resume_(std::move(resume)),
      records_(sources_, writes_, figures_.counters, recordSizeMaxOf(settings_.options)),
      syncs_(settings_.options.fsync, settings_.options.fsyncIntervalMs) {}

Status BatchLog::append(std::vector<CommitRequest>& batch) {
  Status writable = checkWritable();
  if (!writable.ok()) return writable;
  records_.begin();
  for (CommitRequest& request : batch) addRecord(request);
  changedNotes_.clear();
  const Status appended = appendRecords();
  records_.release();
  return appended;
}

Status BatchLog::syncByPolicy() {
  if (room_.isAwaited()) return Status::okStatus();
  if (settings_.options.fsync == FsyncPolicy::kNone) {
    writes_.wal->settle();
    return Status::okStatus();
  }
  if (!syncs_.isDue(monotonicMs())) return Status::okStatus();
  if (writes_.wal->isSynced()) return writes_.wal->sync();
  const StageTimer timer(figures_.stages, Stage::kWalSync);
  Status synced = writes_.wal->sync();
  if (synced.ok()) {
    figures_.counters.walSyncs.fetch_add(1, std::memory_order_relaxed);
  } else {
    figures_.health.failWrites(synced.message());
  }
  return synced;
}

std::chrono::milliseconds BatchLog::restTime() const {
  constexpr std::uint64_t kLookMs = 100;
  // While a full disk is awaited, there is no WAL.
  const bool awaitsSync = settings_.options.fsync == FsyncPolicy::kInterval &&
                          writes_.wal != nullptr && !writes_.wal->isSynced();
  const std::uint64_t rest = awaitsSync ? syncs_.restMs(monotonicMs()) : kLookMs;
  return std::chrono::milliseconds(std::min(rest, kLookMs));
}

void BatchLog::lookForRoom() {
  const std::uint64_t now = monotonicMs();
  if (now - lastRoomLookMs_ < kRoomLookMs) return;
  lastRoomLookMs_ = now;
  noteSeriesRoom();
  if (room_.isAwaited()) return resumeWriting();
  if (writes_.wal->isBroken() || (room_.reserve.isOut() && !room_.reserve.restore())) return;
  if (!figures_.health.isReported(Health::kDiskTopic)) return;
  const auto free = settings_.fs.freeBytes(settings_.options.directory);
  if (free.ok() && free.value() >= kRoomToGoOn) figures_.health.report(Health::kDiskTopic, "");
}

void BatchLog::resumeWriting() {
  if (figures_.health.isReadOnly()) return;
  const auto free = settings_.fs.freeBytes(settings_.options.directory);
  if (free.ok() && free.value() < kRoomToGoOn) return;
  const Status resumed = resume_();
  if (resumed.ok()) return figures_.health.report(Health::kDiskTopic, "");
  if (resumed.code() == StatusCode::kStorageUnavailable) return;
  figures_.health.failWrites("the database cannot start to write: " + resumed.message());
}

// Parsers refuse new series according to this state.
void BatchLog::noteSeriesRoom() {
  const auto index = sources_.index.writable();
  const std::uint64_t bytesMax = seriesBytesMax(settings_.limits.current().memoryLimitBytes);
  const std::uint64_t room = roomForSeries(sources_, figures_.ledger, bytesMax);
  index->tellRoom(room);
  seriesNoted_ = index->createdCount();
  const std::uint64_t refused = index->takeRefused();
  figures_.counters.seriesRefused.fetch_add(refused, std::memory_order_relaxed);
  if (refused > 0) seriesRefusedMs_ = monotonicMs();
  const bool isRefusing = seriesRefusedMs_ && monotonicMs() - *seriesRefusedMs_ < kSeriesToldMs;
  const bool isFull = room == 0 || isRefusing;
  if (isFull == figures_.health.isReported(kSeriesTopic)) return;
  const std::string reason =
      "new series are refused: the series index and other resident data "
      "take three quarters of memory_limit_bytes, " +
      std::to_string(bytesMax) + " bytes; known series are stored";
  figures_.health.report(kSeriesTopic, isFull ? reason : "");
}

void BatchLog::noteNewSeries() {
  if (sources_.createdCount() != seriesNoted_) noteSeriesRoom();
}

Status BatchLog::checkWritable() {
  if (figures_.health.isReadOnly()) {
    return {StatusCode::kStorageUnavailable,
            "the database is read-only because a WAL write failed"};
  }
  if (room_.isAwaited()) return awaitingRoom();
  if (!room_.reserve.isOut()) return {};
  Status full(StatusCode::kStorageUnavailable,
              "the disk is full; the remaining space is reserved for a flush");
  figures_.health.report(Health::kDiskTopic, full.message());
  return full;
}

void BatchLog::addRecord(CommitRequest& request) {
  if (request.annotation) {
    request.refused = prepareAnnotation(*request.annotation);
    if (request.refused.ok()) request.refused = records_.add(request.annotation->annotation);
    return;
  }
  if (request.removal) {
    if (prepareRemoval(request)) {
      request.refused = records_.add(request.removal->tombstone, request.removal->payload);
    }
    return;
  }
  request.refused = resolve(request);
  if (request.refused.ok()) request.refused = records_.add(request.samples);
}

// An earlier request of this batch may have deleted the annotation that this one changes.
Status BatchLog::prepareAnnotation(AnnotationWrite& write) {
  Annotation& one = write.annotation;
  if (one.changes == 0 && !one.isErasure) return {};
  const Annotation*& last = changedNotes_.try_emplace(one.changes, nullptr).first->second;
  if (last == nullptr) last = sources_.annotations.current(one.changes);
  if (last == nullptr || last->isErasure || !hasLabels(*last, write.required)) {
    return {StatusCode::kAnnotationNotFound,
            "there is no annotation " + std::to_string(one.changes)};
  }
  if (one.isErasure) {
    const std::uint64_t changes = one.changes;
    one = *last;
    one.changes = changes;
    one.isErasure = true;
  }
  last = &one;
  return {};
}

Status BatchLog::appendRecords() {
  if (records_.bytes().empty()) return Status::okStatus();
  const std::uint64_t begin = monotonicNanos();
  Status appended = writes_.wal->append(records_.bytes());
  figures_.stages.record(Stage::kWalAppend, monotonicNanos() - begin);
  if (appended.ok()) {
    records_.keep();
    figures_.health.report(Health::kDiskTopic, "");
    figures_.counters.walAppends.fetch_add(records_.count(), std::memory_order_relaxed);
    figures_.counters.walBytes.fetch_add(records_.bytes().size(), std::memory_order_relaxed);
    return appended;
  }
  records_.takeBack();
  // A broken log is reported once, by failWrites().
  if (writes_.wal->isBroken()) {
    figures_.health.failWrites(appended.message());
  } else {
    figures_.health.report(Health::kDiskTopic, appended.message());
  }
  freezer_.setUrgent(room_.reserve.isHeld() && freezer_.hasUnflushed());
  return appended;
}

// Removes existing samples from an only-missing request, then resolves its series.
Status BatchLog::resolve(CommitRequest& request) const {
  const auto index = sources_.index.writable();
  if (request.isOnlyMissing) {
    Status kept = keepMissing(sources_.view.current(), *index, request.samples);
    if (!kept.ok()) return kept;
  }
  const std::uint64_t memoryLimit = settings_.limits.current().memoryLimitBytes;
  Status room = limitDescriptors(*index, request.samples, memoryLimit / MemoryUse::kShares);
  if (room.ok()) room = checkSeriesRoom(*index, request, memoryLimit);
  if (!room.ok()) return room;
  return resolvePending(*index, request.samples, settings_.options.series);
}

// Skips the check per series if the room exceeds the bytes of the whole request.
Status BatchLog::checkSeriesRoom(const SeriesIndex& index, const CommitRequest& request,
                                  std::uint64_t memoryLimit) const {
  const std::size_t count = request.samples.pendingSeries.size();
  if (count == 0) return {};
  const std::uint64_t room =
      roomForSeries(sources_, figures_.ledger, committedSeriesBytesMax(memoryLimit));
  if (count * SeriesIndex::bytesOfNew(0) + request.bytes <= room) return {};
  return limitSeries(index, request.samples, room);
}

// False if there is nothing to log: no series exists, or the deletion is refused.
bool BatchLog::prepareRemoval(CommitRequest& request) {
  RemovalWrite& removal = *request.removal;
  Tombstone& tombstone = removal.tombstone;
  if (removal.payload.empty()) findSeries(sources_.index, removal);
  if (tombstone.refs.empty()) return false;
  const std::uint64_t room = settings_.options.tombstoneRefsMax;
  const auto view = sources_.view.current();
  const TombstoneList& tombstones = view->tombstones;
  const std::uint64_t held = tombstones.refCount() + tombstones.size() * kTombstoneWeight;
  if (removal.room > room - std::min(room, held)) {
    request.refused = {StatusCode::kQueryLimit,
                       "too many deletions are not yet applied to all files: " +
                           std::to_string(tombstones.size()) + ", of " +
                           std::to_string(tombstones.refCount()) +
                           " series; a flush merges some of them: try again shortly"};
    freezer_.setUrgent(freezer_.isUrgent() || writes_.unfrozenTombstones > 0);
    tombstone.refs.clear();
    return false;
  }
  return true;
}

}  // namespace seriesdb
