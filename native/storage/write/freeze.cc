#include "storage/write/freeze.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "common/base/clock.h"
#include "storage/state/memory_use.h"
#include "storage/state/refusals.h"
#include "storage/write/removal.h"

namespace seriesdb {
namespace {

// The maximum number of frozen memtables that wait for the flusher. Beyond it, the active memtable
// keeps growing.
constexpr std::size_t kFrozenMax = 4;
// The limit for memtables frozen by deletions, which are small.
constexpr std::size_t kFrozenByDeletionsMax = 16;

}  // namespace

void freezeActive(Sources& sources, WritePath& writes, const TimeSource& time,
                  const FreezePoint& point) {
  const auto current = sources.view.current();
  auto frozen = std::make_shared<FrozenMemtable>();
  frozen->memtable = current->active;
  frozen->walFloor = point.walFloor;
  frozen->sequenceMax = point.sequenceMax;
  frozen->annotationCount = sources.annotations.count();
  frozen->seriesCount = point.seriesCount;
  frozen->frozenMs = wallMs(time);
  frozen->isBeforeRemoval = point.isBeforeRemoval;
  frozen->descriptors = writes.activeDescriptors.take();
  writes.frozenAnnotationCount = frozen->annotationCount;
  writes.unfrozenTombstones = 0;
  sources.view.update([&](View& view) {
    view.frozen.push_back(frozen);
    view.active = sources.makeMemtable();
    view.activeErasures = 0;
  });
}

bool StateBudget::isLeft(std::uint64_t nowMs) {
  if (refillMs_ == 0) return true;
  const std::uint64_t back = (nowMs - sinceMs_) / refillMs_;
  sinceMs_ += back * refillMs_;
  left_ = static_cast<std::uint32_t>(std::min<std::uint64_t>(most_, left_ + back));
  return left_ > 0;
}

Freezer::Freezer(const CommitOwners& owners, std::function<void()> onFrozen)
    : settings_(owners.settings),
      sources_(owners.sources),
      writes_(owners.writes),
      room_(owners.room),
      figures_(owners.figures),
      onFrozen_(std::move(onFrozen)),
      states_(settings_.options.deletionStatesMax, settings_.options.deletionStateMs),
      frozenAnnotationBytes_(sources_.annotations.memoryBytes()),
      lastFreezeMs_(monotonicMs()),
      // If the start released the reserve, a flush must free the WAL.
      isUrgent_(room_.reserve.isOut()) {}

void Freezer::noteRemoval(const Tombstone& tombstone) {
  unfrozenRemovals_ += tombstone.refs.size() + kTombstoneWeight;
}

// No commit has the samples of the memtable, so history could not restore them after a deletion.
// Therefore the memtable is frozen first, and its flush makes a commit with these samples. The
// deletion does not wait for the flush: if the process dies before it, replay freezes at the same
// place.
void Freezer::freezeBeforeRemovals(std::vector<CommitRequest>& batch, bool isEnding) {
  const bool canFreeze = isEnding || states_.isLeft(monotonicMs());
  // A request that checks for existing samples comes first in its batch.
  if (canFreeze && (batch.empty() || !batch.front().isOnlyMissing)) {
    batch.insert(batch.begin(), std::make_move_iterator(postponed_.begin()),
                 std::make_move_iterator(postponed_.end()));
    postponed_.clear();
  }
  if (batch.empty() || !batch.front().removal || !isHistoryKept()) return;
  const auto view = sources_.view.current();
  const auto awaitsState = [&](CommitRequest& request) {
    if (!request.removal) return false;
    if (request.removal->payload.empty()) findSeries(sources_.index, *request.removal);
    return view->active->mayHold(request.removal->tombstone);
  };
  const bool isFull = view->frozen.size() >= kFrozenByDeletionsMax;
  // If flushes fail or the engine closes, postponed deletions would wait in vain.
  if (isFull && (isEnding || figures_.health.isReported("flush"))) return;
  if (canFreeze && !isFull) {
    if (std::any_of(batch.begin(), batch.end(), awaitsState)) {
      states_.take();
      static_cast<void>(freezeNow(Cause::kRemoval).ok());
    }
    return;
  }
  const auto end = std::stable_partition(batch.begin(), batch.end(),
                                         [&](CommitRequest& one) { return !awaitsState(one); });
  postponed_.insert(postponed_.end(), std::make_move_iterator(end),
                    std::make_move_iterator(batch.end()));
  batch.erase(end, batch.end());
}

// True if commits keep deleted samples, and the WAL can continue in another file.
bool Freezer::isHistoryKept() const {
  return settings_.historyKeepMs.load() > 0 && settings_.options.casMode == CasMode::kDualWrite &&
         !figures_.health.isReadOnly() && !room_.isAwaited() && !room_.reserve.isOut();
}

bool Freezer::hasUnflushed(const View& view) const {
  return view.active->sampleCount() > 0 || !writes_.activeDescriptors.all().empty() ||
         writes_.unfrozenTombstones > 0 ||
         sources_.annotations.count() > writes_.frozenAnnotationCount;
}

bool Freezer::isTimeToFreeze() const {
  if (room_.isAwaited()) return false;
  const auto view = sources_.view.current();
  if (!hasUnflushed(*view) || view->frozen.size() >= kFrozenMax) return false;
  // A flush frees the WAL on a full disk.
  if (isUrgent_) return true;
  // A flush joins tombstones and drops those without effect, so that later deletions are not
  // refused.
  if (unfrozenRemovals_ >= settings_.options.tombstoneRefsMax / 4 * 3) return true;
  const EngineLimits limits = settings_.limits.current();
  // Without memory, ingest is refused until a flush, so the flush must start before that.
  const MemoryUse use = memoryUseOf(sources_, writes_.activeDescriptors, figures_);
  const std::uint64_t room = use.roomToIngest(limits.memoryLimitBytes);
  const std::uint64_t full = std::min(limits.memtableMaxBytes, room / 2);
  const std::uint64_t annotationBytes = sources_.annotations.memoryBytes() - frozenAnnotationBytes_;
  const std::uint64_t besideSamples = annotationBytes + writes_.activeDescriptors.memoryBytes();
  if (view->active->memoryBytes() + besideSamples >= full) return true;
  return limits.flushIntervalMs > 0 && monotonicMs() - lastFreezeMs_ >= limits.flushIntervalMs;
}

Result<std::uint64_t> Freezer::freezeNow(Cause cause) {
  lastFreezeMs_ = monotonicMs();
  isUrgent_ = false;
  const auto current = sources_.view.current();
  if (cause != Cause::kLog && !hasUnflushed(*current)) {
    // This differs from the last assigned sequence: a record with a failed sync was never applied
    // or flushed.
    return current->frozen.empty() ? 0 : current->frozen.back()->sequenceMax;
  }
  if (room_.isAwaited()) return awaitingRoom();
  Status rotated = writes_.wal->rotate(writes_.nextSequence);
  const bool isFull = rotated.code() == StatusCode::kStorageUnavailable && !writes_.wal->isBroken();
  if (isFull && room_.reserve.release()) rotated = writes_.wal->rotate(writes_.nextSequence);
  if (!rotated.ok()) {
    figures_.health.report("rotate", "cannot start a new log file: " + rotated.message());
    if (writes_.wal->isBroken()) figures_.health.failWrites(rotated.message());
    return rotated;
  }
  figures_.health.report("rotate", "");
  figures_.counters.walNumber.store(writes_.wal->number(), std::memory_order_relaxed);
  // The previous file ends with this sequence; the next one is the new file's begin mark.
  const std::uint64_t sequenceMax = writes_.nextSequence - 2;
  freezeActive(sources_, writes_, *settings_.options.time,
               {writes_.wal->number(), sequenceMax, writes_.loggedSeriesCount,
                cause == Cause::kRemoval});
  unfrozenRemovals_ = 0;
  frozenAnnotationBytes_ = sources_.annotations.memoryBytes();
  onFrozen_();
  return sequenceMax;
}

}  // namespace seriesdb
