// Freezes the active memtable, for the committer and for replay.
#pragma once

#include <cstdint>

#include "common/base/time_source.h"
#include "storage/state/sources.h"
#include "storage/state/write_path.h"

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

}  // namespace seriesdb
