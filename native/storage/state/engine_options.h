// Settings of an open engine. Sizes in bytes, times in milliseconds.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "common/base/status.h"
#include "common/base/time_source.h"
#include "common/types/timestamp_unit.h"
#include "index/series_index.h"
#include "ingest/ingest_options.h"
#include "storage/compaction/compaction_state.h"
#include "storage/ledger/description_modes.h"
#include "storage/ledger/past_state.h"
#include "storage/retention/retention_rules.h"
#include "storage/state/memory_use.h"

namespace seriesdb {

class LogCopy;

enum class FsyncPolicy : std::uint8_t { kAlways, kInterval, kNone };

// Both use the same allocator of the memtables' small blocks; kSmallPool also counts them.
enum class Allocator : std::uint8_t { kSystem, kSmallPool };

inline constexpr std::uint64_t kTombstoneWeight = 256;

// The settings that may change while the engine is open.
struct EngineLimits {
  std::uint64_t memtableMaxBytes = std::uint64_t{128} << 20;
  std::uint64_t flushIntervalMs = 600'000;  // 0 = by size only.
  std::uint64_t memoryLimitBytes = std::uint64_t{1} << 30;
  IngestLimits ingest;
  std::int64_t maxFutureSkew = -1;  // In the database's unit; below 0 = off.
  // How long former head commits stay readable; 0: not at all.
  std::uint64_t historyKeepMs = 3'600'000;
  // How long samples are kept. Not null.
  std::shared_ptr<const RetentionRules> retention = std::make_shared<const RetentionRules>();
};

struct EngineOptions : EngineLimits, PastState {
  // Whether the settings are compatible: kInvalidArgument.
  Status check() const;

  std::string directory;
  TimestampUnit unit = TimestampUnit::kMilliseconds;
  FsyncPolicy fsync = FsyncPolicy::kAlways;
  std::uint64_t fsyncIntervalMs = 1000;
  SeriesLimits series;
  // Number of JavaScript threads that parse bodies; each has its own frame cache.
  std::uint32_t listeners = 1;
  // Maximum series named by all deletions that still mask samples. Each deletion adds
  // kTombstoneWeight. Each series takes 4 bytes of memory, all must fit one MANIFEST record, and a
  // flush compares new deletions with all others.
  std::uint64_t tombstoneRefsMax = std::uint64_t{64} << 20;
  // Maximum segments. Each takes about a KiB of memory in addition to its directory, and every read
  // visits all of them. Far more segments would end or stall the process.
  std::uint64_t segmentCountMax = std::uint64_t{1} << 17;
  // Series without samples before the index is rebuilt without them, if they are a quarter of all
  // series.
  std::uint32_t goneSeriesMin = std::uint32_t{1} << 16;
  // History may always keep this many bytes, even if a tenth of the database is less.
  std::uint64_t historyBytesMin = std::uint64_t{64} << 20;
  // A deletion first flushes the samples that it would erase from the memtable, so that history has
  // them. At most `deletionStatesMax` such flushes run in a burst, then one per `deletionStateMs`;
  // later deletions wait.
  std::uint32_t deletionStatesMax = 16;
  std::uint64_t deletionStateMs = 1000;
  std::uint64_t reserveBytes = 0;  // Reserved disk space, so that a flush works on a full disk.
  Allocator allocator = Allocator::kSystem;
  // Never changes the directory: recovery writes nothing, and the engine accepts no writes.
  // Requires read_only_file_system.h, whose lock is shared.
  bool isReadOnly = false;
  // Keeps unreferenced files at the start.
  bool isUnnamedKept = false;
  // Another engine of this process has the directory open and holds its lock.
  bool isLockHeld = false;
  // The accounts of that engine, which also count the memory of this one.
  std::optional<MemoryAccounts> counted;
  // The past state to open, if that engine holds it for this one.
  std::shared_ptr<const HeldCommit> held;
  // kOff requires kLegacy, and a past state requires isReadOnly.
  CasMode casMode = CasMode::kDualWrite;
  MetadataReadMode metadataReadMode = MetadataReadMode::kPrimary;
  // Copies the WAL elsewhere; null: nobody does. Must be null if isReadOnly.
  std::shared_ptr<LogCopy> copy;
  // New segments get this number or a higher one.
  std::uint64_t segmentNumberMin = 0;
  // Automatic compaction, unless isReadOnly; requested work is always done.
  bool isCompacting = true;
  CompactionLimits compaction;
  // The clock of compaction and retention. Must outlive the engine.
  const TimeSource* time = &machineTime();
};

// Disk space for the flush of a full memtable. A sample takes 16 bytes in a memtable, and rarely
// more than 8 in a segment.
constexpr std::uint64_t reserveFor(std::uint64_t memtableMaxBytes) { return memtableMaxBytes / 2; }

}  // namespace seriesdb
