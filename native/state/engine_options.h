// Settings of an open engine. Sizes in bytes, times in milliseconds.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "base/status.h"
#include "base/time_source.h"
#include "compaction/compaction_state.h"
#include "index/series_index.h"
#include "ledger/description_modes.h"
#include "ledger/past_state.h"
#include "model/timestamp_unit.h"
#include "ingest/ingest_options.h"
#include "retention/retention_rules.h"
#include "state/memory_use.h"

namespace seriesdb {

enum class FsyncPolicy : std::uint8_t { kAlways, kInterval, kNone };

// Where the many small blocks of the memtables come from.
enum class Allocator : std::uint8_t { kSystem, kSmallPool };

inline constexpr std::uint64_t kTombstoneWeight = 256;

// The part that may change while the engine is open.
struct EngineLimits {
  std::uint64_t memtableMaxBytes = std::uint64_t{128} << 20;
  std::uint64_t flushIntervalMs = 600'000;  // 0 = by size only.
  std::uint64_t memoryLimitBytes = std::uint64_t{1} << 30;
  IngestLimits ingest;
  std::int64_t maxFutureSkew = -1;  // In the unit; below 0 = off.
  // Commits that were the head so lately stay readable; 0: none does.
  std::uint64_t historyKeepMs = 3'600'000;
  // How long samples are kept. Not null.
  std::shared_ptr<const RetentionRules> retention = std::make_shared<const RetentionRules>();
};

struct EngineOptions : EngineLimits, PastState {
  // Whether they go together: kInvalidArgument.
  Status check() const;

  std::string directory;
  TimestampUnit unit = TimestampUnit::kMilliseconds;
  FsyncPolicy fsync = FsyncPolicy::kAlways;
  std::uint64_t fsyncIntervalMs = 1000;
  SeriesLimits series;
  // Threads of JavaScript that parse bodies, each of which knows lines of its own.
  std::uint32_t listeners = 1;
  // Series that all deletions which still mask samples may name, each deletion counted as
  // kTombstoneWeight more: they take 4 bytes of memory each, a record of MANIFEST must hold them
  // all, and a flush compares new ones with each of the others.
  std::uint64_t tombstoneRefsMax = std::uint64_t{64} << 20;
  // Segments that there may be. Each takes about a KiB of memory beside its directory, and every
  // read passes all of them, so that far more would end the process or stop it.
  std::uint64_t segmentCountMax = std::uint64_t{1} << 17;
  // Series that have lost all their samples before the index is made anew without them, where they
  // are a fourth of all.
  std::uint32_t goneSeriesMin = std::uint32_t{1} << 16;
  // What history alone may keep in a database of which a tenth is less.
  std::uint64_t historyBytesMin = std::uint64_t{64} << 20;
  // Deletions flush the samples that they would take out of the memtable, so that history has them:
  // so many flushes at once, then one in each such time, for which later deletions wait.
  std::uint32_t deletionStatesMax = 16;
  std::uint64_t deletionStateMs = 1000;
  std::uint64_t reserveBytes = 0;  // Of the disk, so that a flush has room when it is full.
  Allocator allocator = Allocator::kSystem;
  // The directory stays as it is, whatever is asked of the engine: what a recovery would change on
  // disk is left alone, and nothing is taken. For read_only_file_system.h, whose lock is shared.
  bool isReadOnly = false;
  // Files that nothing names stay at the start.
  bool isUnnamedKept = false;
  // Another engine of this process has the directory open, and its lock.
  bool isLockHeld = false;
  // Of that engine: what this one has in memory is counted there.
  std::optional<MemoryAccounts> counted;
  // The state of the past that is opened, where that engine holds it for this one.
  std::shared_ptr<const HeldCommit> held;
  // Only kLegacy goes with kOff, and a state of the past only with isReadOnly.
  CasMode casMode = CasMode::kDualWrite;
  MetadataReadMode metadataReadMode = MetadataReadMode::kPrimary;
  // By itself, unless isReadOnly; what is asked for is done in any case.
  bool isCompacting = true;
  CompactionLimits compaction;
  // What compaction and retention go by. Must outlive the engine.
  const TimeSource* time = &machineTime();
};

// What a flush of a memtable that is full may take on disk: samples have 16 bytes each there, and
// in a segment hardly ever more than 8.
constexpr std::uint64_t reserveFor(std::uint64_t memtableMaxBytes) { return memtableMaxBytes / 2; }

}  // namespace seriesdb
