// When the committer freezes the active memtable, and how.
#include <algorithm>
#include <utility>

#include "base/clock.h"
#include "write/committer.h"

namespace seriesdb {
namespace {

// Frozen memtables that may wait for the flusher before the active one just keeps growing.
constexpr std::size_t kFrozenMax = 4;

}  // namespace

bool Committer::hasUnflushed(const View& view) const {
  return view.active->sampleCount() > 0 || !state_.activeDescriptors.all().empty() ||
         state_.unfrozenTombstones > 0 ||
         state_.annotations.count() > state_.frozenAnnotationCount;
}

bool Committer::isTimeToFreeze() const {
  if (awaitsRoom()) return false;
  const auto view = state_.view.current();
  if (!hasUnflushed(*view) || view->frozen.size() >= kFrozenMax) return false;
  // A flush frees the log of a full disk.
  if (isFlushUrgent_) return true;
  // A flush joins deletions and drops those that mask nothing, so that the next are not refused.
  if (unfrozenRemovals_ >= state_.options.tombstoneRefsMax / 4 * 3) return true;
  const EngineLimits limits = state_.limits.current();
  // Without room ingest is refused until a flush, so the flush must come before that.
  const std::uint64_t room = memoryUseOf(state_).roomToIngest(limits.memoryLimitBytes);
  const std::uint64_t full = std::min(limits.memtableMaxBytes, room / 2);
  const std::uint64_t annotationBytes = state_.annotations.memoryBytes() - frozenAnnotationBytes_;
  const std::uint64_t besideSamples = annotationBytes + state_.activeDescriptors.memoryBytes();
  if (view->active->memoryBytes() + besideSamples >= full) return true;
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
  if (awaitsRoom()) return awaitingRoom();
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
  frozen->descriptors = state_.activeDescriptors.take();
  state_.frozenAnnotationCount = frozen->annotationCount;
  state_.unfrozenTombstones = 0;
  unfrozenRemovals_ = 0;
  frozenAnnotationBytes_ = state_.annotations.memoryBytes();
  state_.view.update([&](View& view) {
    view.frozen.push_back(frozen);
    view.active = state_.makeMemtable();
    view.activeErasures = 0;
  });
  events_.onFrozen();
  return frozen->sequenceMax;
}

}  // namespace seriesdb
