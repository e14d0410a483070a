// The background thread that writes frozen memtables to segments, one at a time, oldest first.
//
// Order of publication: CATALOG (series and descriptors) -> ANNOTATIONS -> segment files ->
// MANIFEST record -> new view -> removal of covered WAL files. After a crash in between, recovery
// removes unnamed files or replays the WAL again.
#pragma once

#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

#include "common/base/lock_order.h"
#include "common/base/status.h"
#include "storage/engine/flush_logs.h"
#include "storage/state/description.h"
#include "storage/state/disk_room.h"
#include "storage/state/engine_figures.h"
#include "storage/state/engine_settings.h"
#include "storage/state/sources.h"

namespace seriesdb {

class Flusher {
 public:
  using Done = std::function<void(Status)>;

  struct Owners {
    const EngineSettings& settings;
    Sources& sources;
    Description& description;
    FlushLogs& logs;
    DiskRoom& room;
    EngineFigures& figures;
  };
  // All are called on the flusher's thread.
  struct Events {
    std::function<void()> onFlushed;
    // Called for each WAL file that was removed, with its number.
    std::function<void(std::uint64_t)> onWalRemoved;
  };

  // All owners must outlive it.
  Flusher(const Owners& owners, Events events);
  ~Flusher();

  // Announces a new frozen memtable. Any thread.
  void wake();
  // Calls `done` on the flusher's thread once segments have all records up to `sequence`, or the
  // flush failed.
  void awaitFlushed(std::uint64_t sequence, Done done);
  // Finishes the flush in progress and ends the thread. Idempotent.
  void stop();

 private:
  void run();
  Status flushOldest();
  void failWritesIfFinal();
  bool catchUp();
  Status flush(const FrozenMemtable& frozen);
  Status write(const FrozenMemtable& frozen);
  void shortenCatalog();
  Status writeCatalog(const FrozenMemtable& frozen);
  Result<std::optional<SegmentFacts>> writeSegment(const FrozenMemtable& frozen);
  Status record(const FrozenMemtable& frozen, std::optional<SegmentFacts> facts);
  Tombstones unrecordedTombstones(const ManifestState& recorded, std::uint64_t last) const;
  void removeWalBelow(std::uint64_t floor);
  void settleWaiters(const Status& result);

  const EngineSettings& settings_;
  Sources& sources_;
  Description& description_;
  FlushLogs& logs_;
  DiskRoom& room_;
  EngineFigures& figures_;
  const Events events_;
  OrderedMutex<LockRank::kFlusherQueue> mutex_;
  OrderedCondition wake_;
  bool isWoken_ = false;
  bool isStopping_ = false;
  std::vector<std::pair<std::uint64_t, Done>> waiters_;
  std::uint64_t flushedSequence_;         // The value in MANIFEST.
  std::uint64_t number_ = 0;              // Number of the next segment; 0: not assigned yet.
  // The segment of the memtable that ends with this record; MANIFEST does not name it yet.
  std::uint64_t writtenSequence_ = 0;
  std::optional<SegmentFacts> written_;
  // MANIFEST or REFS may still need WAL files below the floor, or needed them at the start.
  bool isWalKept_ = true;
  std::uint64_t cataloguedSequence_ = 0;  // The last memtable with recorded definitions.
  std::uint64_t shortenAfterMs_ = 0;
  std::thread thread_;
};

}  // namespace seriesdb
