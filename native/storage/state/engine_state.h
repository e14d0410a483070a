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
#include "storage/state/engine_options.h"
#include "storage/state/memory_use.h"
#include "storage/state/release_apart.h"
#include "storage/state/reserve_file.h"
#include "storage/state/stage_times.h"
#include "storage/view/view.h"

namespace seriesdb {

// Counters that only grow, and gauges. Any thread; relaxed.
struct Counters {
  using Count = std::atomic<std::uint64_t>;
  Count ingested{0};
  Count rejected{0};
  Count rejectedByMemory{0};
  Count answersCut{0};     // Answers cut for lack of memory while they waited for their clients.
  Count seriesRefused{0};  // Refused for lack of memory; may lag.
  Count legacyLines{0};
  Count inexact{0};
  Count unitSuspect{0};
  Count rejectsWritten{0};  // Lines written to the file of rejects.
  Count rejectsWriteFailed{0};
  Count walAppends{0};
  Count walAppendFailed{0};
  Count walBytes{0};
  Count walSyncs{0};
  Count walAppendNanos{0};
  Count walTornTails{0};
  Count flushes{0};
  Count flushFailed{0};
  Count flushPoints{0};
  Count flushNanos{0};
  Count queueDepth{0};
  Count requestBytes{0};  // Held by requests that are being parsed or wait for the committer.
  Count reads{0};  // Views pinned by reads.
  Count rangeQueries{0};
  Count walNumber{0};  // Number of the current WAL file.
  Count walOldest{0};  // Number of the oldest existing WAL file.
  Count walOutlived{0};  // Files below it were closed at the start or before the last publication.
  Count compareQueries{0};
  Count annotationQueries{0};
  Count removals{0};
  Count indexGenerations{0};
  Count compactions{0};
  Count compactionFailed{0};
  Count compactionBytesIn{0};
  Count compactionBytesOut{0};
  Count compactionNanos{0};
  Count compactionWithoutRoom{0};  // Bytes of the next compaction that lacks disk space.
  Count retentionJumps{0};
  Count retentionDeferred{0};
  Count retentionSegments{0};
  Count retentionBytes{0};
  Count retentionSamples{0};
};

// The newest timestamp that clients sent recently, to compare their clocks with ours. The committer
// writes it, the compactor reads it.
class Arrivals {
 public:
  void note(Timestamp ts) {
    Timestamp newest = newest_.load(std::memory_order_relaxed);
    while (newest < ts &&
           !newest_.compare_exchange_weak(newest, ts, std::memory_order_relaxed)) {
    }
  }
  // The newest timestamp since the last reset; null if there is none.
  std::optional<Timestamp> newest() const {
    const Timestamp newest = newest_.load(std::memory_order_relaxed);
    return newest == kNone ? std::nullopt : std::optional(newest);
  }
  void reset() { newest_.store(kNone, std::memory_order_relaxed); }

 private:
  static constexpr Timestamp kNone = std::numeric_limits<Timestamp>::min();

  std::atomic<Timestamp> newest_{kNone};
};

// The reasons of a degraded engine. Any thread.
class Health {
 public:
  // No disk space for the WAL.
  static constexpr const char* kDiskTopic = "disk";
  // The topic of a segment that cannot be opened.
  static constexpr std::string_view kSegmentKind = "damaged_segment";
  static std::string segmentTopic(std::string_view name) {
    return std::string(kSegmentKind).append(" ").append(name);
  }

  // Makes the database read-only until it is reopened.
  void failWrites(const std::string& reason) {
    // The first failure is the cause; later ones are consequences.
    if (!isReadOnly_.exchange(true, std::memory_order_acq_rel)) report(kWriteTopic, reason);
  }
  // Why the database is read-only.
  std::string writeFailure() const {
    const std::lock_guard lock(mutex_);
    for (const auto& [topic, reason] : reasons_) {
      if (topic == kWriteTopic) return reason;
    }
    return {};
  }
  // Sets the sentence of a topic, or clears it with an empty reason.
  void report(const std::string& topic, const std::string& reason) {
    const std::lock_guard lock(mutex_);
    std::erase_if(reasons_, [&](const auto& entry) { return entry.first == topic; });
    if (!reason.empty()) reasons_.emplace_back(topic, reason);
  }
  // Whether a write is expected to fail: read-only, or no disk space at the last try.
  bool blocksWrites() const { return isReadOnly() || isReported(kDiskTopic); }
  bool isReported(const std::string& topic) const {
    const std::lock_guard lock(mutex_);
    return std::any_of(reasons_.begin(), reasons_.end(),
                       [&](const auto& entry) { return entry.first == topic; });
  }
  bool isReadOnly() const { return isReadOnly_.load(std::memory_order_acquire); }
  std::vector<std::string> reasons() const {
    const std::lock_guard lock(mutex_);
    std::vector<std::string> all;
    for (const auto& [topic, reason] : reasons_) all.push_back(reason);
    return all;
  }
  // One word per reason; there are few different words.
  std::vector<std::string> kinds() const {
    const std::lock_guard lock(mutex_);
    std::vector<std::string> all;
    for (const auto& [topic, reason] : reasons_) all.push_back(topic.substr(0, topic.find(' ')));
    return all;
  }

 private:
  static constexpr const char* kWriteTopic = "write";

  std::atomic<bool> isReadOnly_{false};
  mutable std::mutex mutex_;
  std::vector<std::pair<std::string, std::string>> reasons_;
};

// The current limits. Any thread; a change is atomic.
class LiveLimits {
 public:
  explicit LiveLimits(const EngineLimits& limits) : limits_(limits) {}
  EngineLimits current() const {
    const auto lock = lockCounting(mutex_, waits_);
    return limits_;
  }
  void replace(const EngineLimits& limits) {
    const auto lock = lockCounting(mutex_, waits_);
    limits_ = limits;
  }
  const LockWaits& waits() const { return waits_; }

 private:
  mutable std::mutex mutex_;
  mutable LockWaits waits_;
  EngineLimits limits_;
};

// The error after the engine was closed.
inline Status closedDatabase() { return {StatusCode::kClosed, "the database is closed"}; }

// The error of writes while the state awaits disk space.
inline Status awaitingRoom() {
  return {StatusCode::kStorageUnavailable,
          "the database takes no writes until its disk does; see /status"};
}

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
