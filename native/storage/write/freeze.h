// Freezes the active memtable, for the committer and for replay.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "common/base/time_source.h"
#include "storage/state/sources.h"
#include "storage/state/write_path.h"
#include "storage/write/commit_request.h"

namespace seriesdb {

// The end of a memtable in the WAL.
struct FreezePoint {
  std::uint64_t walFloor = 0;     // The first WAL file with none of its records.
  std::uint64_t sequenceMax = 0;  // Its last record.
  std::uint32_t seriesCount = 0;  // Series below this ref are in the WAL up to here.
  bool isBeforeRemoval = false;   // The next record is a deletion of some of its samples.
};

// Moves the active memtable to the frozen ones and starts an empty one. REQUIRES: the committer's
// thread, or recovery.
void freezeActive(Sources& sources, WritePath& writes, const TimeSource& time,
                  const FreezePoint& point);

// Token bucket of the flushes that deletions may cause.
class StateBudget {
 public:
  StateBudget(std::uint32_t most, std::uint64_t refillMs)
      : most_(most), refillMs_(refillMs), left_(most) {}

  bool isLeft(std::uint64_t nowMs);
  void take() { left_ -= left_ > 0 ? 1 : 0; }

 private:
  const std::uint32_t most_;
  const std::uint64_t refillMs_;  // The time until one more freeze is allowed; 0: at once.
  std::uint32_t left_;
  std::uint64_t sinceMs_ = 0;
};

// Decides when to freeze, and freezes. The committer's thread only.
class Freezer {
 public:
  // kLog: to move the floor of the log, also if there is nothing to flush.
  enum class Cause : std::uint8_t { kFlush, kRemoval, kLog };

  // Calls `onFrozen` after each freeze.
  Freezer(const CommitOwners& owners, std::function<void()> onFrozen);

  // If the batch begins with deletions that need a flush before them, freezes, or postpones them.
  // Adds the postponed ones to the batch once they may go on; all of them if `isEnding`.
  void freezeBeforeRemovals(std::vector<CommitRequest>& batch, bool isEnding);
  bool isAnyPostponed() const { return !postponed_.empty(); }
  bool isTimeToFreeze() const;
  // Returns the last frozen sequence.
  Result<std::uint64_t> freezeNow(Cause cause = Cause::kFlush);
  // Counts an applied deletion.
  void noteRemoval(const Tombstone& tombstone);
  // True if the memory has anything to flush.
  bool hasUnflushed() const {
    const auto view = sources_.view.current();
    return hasUnflushed(*view);
  }
  // Whether the next freeze is due as soon as there is anything to flush.
  void setUrgent(bool isUrgent) { isUrgent_ = isUrgent; }
  bool isUrgent() const { return isUrgent_; }

 private:
  bool isHistoryKept() const;
  bool hasUnflushed(const View& view) const;

  const EngineSettings& settings_;
  Sources& sources_;
  WritePath& writes_;
  DiskRoom& room_;
  EngineFigures& figures_;
  const std::function<void()> onFrozen_;
  StateBudget states_;
  std::vector<CommitRequest> postponed_;  // Deletions that wait for a flush before them.
  std::uint64_t frozenAnnotationBytes_;   // Bytes of all annotations at the last freeze.
  std::uint64_t lastFreezeMs_;
  bool isUrgent_;
  // Series, plus kTombstoneWeight per deletion, since the last freeze.
  std::uint64_t unfrozenRemovals_ = 0;
};

}  // namespace seriesdb
