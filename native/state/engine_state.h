// What the parts of an open engine share. Each member says who may touch it.
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

#include "annotation/annotation_index.h"
#include "annotation/annotation_log.h"
#include "catalog/catalog.h"
#include "index/index_holder.h"
#include "index/logged_descriptors.h"
#include "ledger/manifest_holder.h"
#include "ledger/root_file.h"
#include "state/engine_options.h"
#include "state/memory_use.h"
#include "state/release_apart.h"
#include "state/reserve_file.h"
#include "state/stage_times.h"
#include "view/view.h"
#include "wal/wal_writer.h"

namespace seriesdb {

// Counters that only grow, and gauges. Any thread; relaxed.
struct Counters {
  using Count = std::atomic<std::uint64_t>;
  Count ingested{0};
  Count rejected{0};
  Count rejectedByMemory{0};
  Count answersCut{0};   // That waited for their clients, for want of memory.
  Count seriesRefused{0};  // For want of memory; a look behind.
  Count legacyLines{0};
  Count inexact{0};
  Count unitSuspect{0};
  Count rejectsWritten{0};  // Lines, to the file of rejects.
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
  Count reads{0};  // Views that a read has pinned.
  Count rangeQueries{0};
  Count walNumber{0};  // Of the log file that is appended to.
  Count walOldest{0};  // Of the oldest log file that still exists.
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
  Count compactionWithoutRoom{0};  // Bytes that the next one would write, had it room.
  Count retentionJumps{0};
  Count retentionDeferred{0};
  Count retentionSegments{0};
  Count retentionBytes{0};
  Count retentionSamples{0};
};

// The newest timestamp that clients sent lately, for who compares their clocks with ours. The
// committer notes, the compactor looks.
class Arrivals {
 public:
  void note(Timestamp ts) {
    Timestamp newest = newest_.load(std::memory_order_relaxed);
    while (newest < ts &&
           !newest_.compare_exchange_weak(newest, ts, std::memory_order_relaxed)) {
    }
  }
  // Since the last reset.
  std::optional<Timestamp> newest() const {
    const Timestamp newest = newest_.load(std::memory_order_relaxed);
    return newest == kNone ? std::nullopt : std::optional(newest);
  }
  void reset() { newest_.store(kNone, std::memory_order_relaxed); }

 private:
  static constexpr Timestamp kNone = std::numeric_limits<Timestamp>::min();

  std::atomic<Timestamp> newest_{kNone};
};

// Why the engine cannot do all it should. Any thread.
class Health {
 public:
  // No room for the log.
  static constexpr const char* kDiskTopic = "disk";
  // A segment that cannot be opened has a topic of its own, of this kind.
  static constexpr std::string_view kSegmentKind = "damaged_segment";
  static std::string segmentTopic(std::string_view name) {
    return std::string(kSegmentKind).append(" ").append(name);
  }

  // The database takes no more writes until it is reopened.
  void failWrites(const std::string& reason) {
    // The first failure is the cause; later ones follow from it.
    if (!isReadOnly_.exchange(true, std::memory_order_acq_rel)) report(kWriteTopic, reason);
  }
  // Why the database takes no more writes.
  std::string writeFailure() const {
    const std::lock_guard lock(mutex_);
    for (const auto& [topic, reason] : reasons_) {
      if (topic == kWriteTopic) return reason;
    }
    return {};
  }
  // Sets or, with an empty reason, clears the sentence of a topic.
  void report(const std::string& topic, const std::string& reason) {
    const std::lock_guard lock(mutex_);
    std::erase_if(reasons_, [&](const auto& entry) { return entry.first == topic; });
    if (!reason.empty()) reasons_.emplace_back(topic, reason);
  }
  // Whether a write would fail as far as is known: read-only, or no room at the last try.
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
  // One word for each of the reasons; there are few different ones.
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

// The limits in force. Any thread; a change is seen whole.
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

// What is answered once the engine is closed.
inline Status closedDatabase() { return {StatusCode::kClosed, "the database is closed"}; }

// What writes are answered while the state awaits room.
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
  const EngineOptions options;  // Its limits are those of the start; see `limits`.
  LiveLimits limits;
  std::atomic<std::uint64_t> historyKeepMs;  // Of `limits`, for the ledger.
  std::unique_ptr<DirectoryLock> lock;
  RootFacts root;  // After opening it stays.

  IndexHolder index;                   // Thread-safe; the committer changes it.
  std::unique_ptr<Catalog> catalog;    // The flusher's, after opening.
  ManifestHolder manifest;             // Thread-safe.
  std::unique_ptr<WalWriter> wal;      // The committer's, after opening.
  std::shared_ptr<SmallPool> pool;     // Thread-safe; null with Allocator::kSystem.
  AnnotationIndex annotations;         // Thread-safe; the committer adds.
  AnnotationLog annotationLog;         // The flusher's, after opening.
  // The start could not write: the disk is full, or mounted read-only. Until the committer has
  // resumed the log, `wal` is null, nobody else writes, and admit() refuses. Any thread.
  std::atomic<bool> awaitsRoom{false};
  ReserveFile reserve;                 // Thread-safe.
  ViewHolder view;                     // Thread-safe.
  std::atomic<std::uint64_t> nextSegment{1};  // The number of the next file.
  // Held from where a segment has a file until MANIFEST names it, but for those that the compactor
  // writes; locked before MANIFEST.
  std::mutex segmentWriting;
  // Segments that are or may get readable again, whose series the index may not know to have
  // samples.
  std::atomic<std::uint32_t> unnotedSegments{0};
  // Of those who put another list of tombstones into the view, built beforehand. The committer,
  // which adds some at any time, does not take it.
  std::mutex tombstoneMutex;
  Arrivals arrivals;                          // Thread-safe.
  std::atomic<Timestamp> retentionClock{0};   // As MANIFEST has it; 0 while it has none.
  std::shared_ptr<LockWaits> memtableWaits = std::make_shared<LockWaits>();  // Of all memtables.
  LockWaits queueWaits;                       // Of the committer's queue.
  Counters counters;
  LedgerFigures ledgerFigures;
  MemoryAccounts memory = options.counted.value_or(MemoryAccounts());
  MemoryHold pastHold;  // Of `memory.past`: what this one has where it is a state of the past.
  StageTimes stages;
  Health health;

  // The committer's, after opening.
  std::uint64_t nextSequence = 1;
  WalEnd replayEnd;                                  // Of the log that the start read.
  std::uint32_t loggedSeriesCount = 0;               // Series below this ref are in CATALOG or WAL.
  LoggedDescriptors activeDescriptors;               // Logged since the last freeze.
  std::uint64_t frozenAnnotationCount = 0;           // Annotations that a flush has or will take.
  std::uint64_t unfrozenTombstones = 0;              // Applied since the last freeze.

  // The flusher's, after opening.
  std::uint32_t catalogSeriesCount = 0;  // Series below this ref are in CATALOG.

  // Frees memtables. Behind the view, so that its last ones find no pool any more.
  std::shared_ptr<TaskPool> releases = std::make_shared<TaskPool>(1);

  std::shared_ptr<Memtable> makeMemtable() const {
    return releasedApart(std::make_unique<Memtable>(pool, memory.memtables, memtableWaits),
                         releases);
  }
  // Segment::open(), counted.
  Result<std::unique_ptr<Segment>> openSegment(const SegmentFacts& facts) const;
  std::string path(std::string_view name) const;
  // Of the index.
  std::uint32_t createdCount() const {
    const auto created = index.current();
    return created->createdCount();
  }
};

}  // namespace seriesdb
