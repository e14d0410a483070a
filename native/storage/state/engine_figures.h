// What an open engine measures about itself and its clients.
#pragma once

#include <atomic>

#include "common/base/locks.h"
#include "common/types/sample.h"
#include "storage/ledger/ledger.h"
#include "storage/state/arrivals.h"
#include "storage/state/counters.h"
#include "storage/state/health.h"
#include "storage/state/stage_times.h"

namespace seriesdb {

// Any thread.
struct EngineFigures {
  Counters counters;
  LedgerFigures ledger;
  LockWaits queueWaits;  // Of the committer's queue.
  StageTimes stages;
  Arrivals arrivals;
  std::atomic<Timestamp> retentionClock{0};  // The value in MANIFEST; 0 if it has none.
  Health health;
};

}  // namespace seriesdb
