// The shared state of the parts of an open engine. Each member says which thread may use it.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <limits>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "format/annotation/annotation_index.h"
#include "format/annotation/annotation_log.h"
#include "format/log/wal_writer.h"
#include "index/catalog/catalog.h"
#include "index/index_holder.h"
#include "index/logged_descriptors.h"
#include "storage/ledger/manifest_holder.h"
#include "storage/ledger/root_file.h"
#include "storage/state/arrivals.h"
#include "storage/state/counters.h"
#include "storage/state/engine_options.h"
#include "storage/state/health.h"
#include "storage/state/live_limits.h"
#include "storage/state/memory_use.h"
#include "storage/state/refusals.h"
#include "storage/state/release_apart.h"
#include "storage/state/reserve_file.h"
#include "storage/state/stage_times.h"
#include "storage/view/view.h"

namespace seriesdb {

struct EngineState {
  EngineState(FileSystem& fileSystem, const EngineOptions& engineOptions)
      : fs(fileSystem),
        options(engineOptions),
        limits(engineOptions),
        historyKeepMs(engineOptions.historyKeepMs),
        index(SeriesIndex::make(engineOptions.series)),
        annotationLog(fileSystem, engineOptions.directory),
        reserve(fileSystem, engineOptions.directory, engineOptions.reserveBytes) {}

  FileSystem& fs;
  const EngineOptions options;  // Its limits are the initial ones; see `limits`.
  LiveLimits limits;
  std::atomic<std::uint64_t> historyKeepMs;  // Copied from `limits`, for the ledger.
  std::unique_ptr<DirectoryLock> lock;
  RootFacts root;  // Constant after opening.

  IndexHolder index;                   // Thread-safe; the committer changes it.
  std::unique_ptr<Catalog> catalog;    // Flusher only, after opening.
  ManifestHolder manifest;             // Thread-safe.
  std::unique_ptr<WalWriter> wal;      // Committer only, after opening.
  std::shared_ptr<SmallPool> pool;     // Thread-safe; null with Allocator::kSystem.
  AnnotationIndex annotations;         // Thread-safe; the committer adds.
  AnnotationLog annotationLog;         // Flusher only, after opening.
  // The start could not write: the disk is full, or mounted read-only. Until the committer has
  // resumed the WAL, `wal` is null, nothing else writes, and admit() refuses. Any thread.
  std::atomic<bool> awaitsRoom{false};
  ReserveFile reserve;                 // Thread-safe.
  ViewHolder view;                     // Thread-safe.
  std::atomic<std::uint64_t> nextSegment{1};  // The number of the next file.
  // Protects new segment files until MANIFEST names them (compactor outputs excepted). Lock order:
  // segmentWriting, then MANIFEST.
  std::mutex segmentWriting;
  // The number of segments that became or may become readable again. The index may not know that
  // their series have samples.
  std::atomic<std::uint32_t> unnotedSegments{0};
  // Held by a writer that replaces the view's tombstone list with one built beforehand. The
  // committer adds tombstones without this lock.
  std::mutex tombstoneMutex;
  Arrivals arrivals;                          // Thread-safe.
  std::atomic<Timestamp> retentionClock{0};   // The value in MANIFEST; 0 if it has none.
  std::shared_ptr<LockWaits> memtableWaits = std::make_shared<LockWaits>();  // Of all memtables.
  LockWaits queueWaits;                       // Of the committer's queue.
  Counters counters;
  LedgerFigures ledgerFigures;
  MemoryAccounts memory = options.counted.value_or(MemoryAccounts());
  MemoryHold pastHold;  // Part of `memory.past`, if this engine is a past state.
  StageTimes stages;
  Health health;

  // Committer only, after opening.
  std::uint64_t nextSequence = 1;
  WalEnd replayEnd;                                  // Read from the WAL at the start.
  std::uint32_t loggedSeriesCount = 0;               // Series below this ref are in CATALOG or WAL.
  LoggedDescriptors activeDescriptors;               // Logged since the last freeze.
  std::uint64_t frozenAnnotationCount = 0;           // Annotations that a flush has or will take.
  std::uint64_t unfrozenTombstones = 0;              // Applied since the last freeze.

  // Flusher only, after opening.
  std::uint32_t catalogSeriesCount = 0;  // Series below this ref are in CATALOG.

  // Frees memtables and large requests. Declared after the view: it stops first, so the view's
  // last memtables are freed directly.
  std::shared_ptr<TaskPool> releases = std::make_shared<TaskPool>(1);

  std::shared_ptr<Memtable> makeMemtable() const {
    return releasedApart(std::make_unique<Memtable>(pool, memory.memtables, memtableWaits),
                         releases);
  }
  // Segment::open(), with the segment's memory counted.
  Result<std::unique_ptr<Segment>> openSegment(const SegmentFacts& facts) const;
  std::string path(std::string_view name) const;
  // SeriesIndex::createdCount() of the current index.
  std::uint32_t createdCount() const {
    const auto created = index.current();
    return created->createdCount();
  }
};

}  // namespace seriesdb
