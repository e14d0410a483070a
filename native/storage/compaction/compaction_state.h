// The input of the compaction choice: facts about segments, deletions, classes and disk space, in
// numbers. The compactor builds it from the published state and its own counts.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

#include "common/types/sample.h"
#include "common/types/timestamp_unit.h"
#include "storage/compaction/ladder.h"

namespace seriesdb {

struct CompactionSegment {
  std::uint64_t number = 0;
  // Null: an L0, as a flush wrote it, with all classes and any times.
  std::optional<PartitionPlace> place{};
  std::uint64_t bytes = 0;
  std::uint64_t samples = 0;
  TimeRange time{0, -1};
  // The sequence numbers of the log records of its samples. If two segments may share a series at
  // one time, their intervals are disjoint, and the later one's samples win.
  std::uint64_t seqMin = 0;
  std::uint64_t seqMax = 0;
  // Tombstones up to this sequence are applied to the file.
  std::uint64_t erasedThrough = 0;
  bool isDamaged = false;
  // Made by the close of a partition.
  bool isFinal = false;
  // The codecs that its chunks could use; compared with CompactionState::codecs.
  std::uint32_t codecs = 0;
  // If isFinal: when it was closed, by the wall clock.
  Timestamp closedAt = 0;
  // For an L0: CompactionState::now() when its memtable was frozen.
  Timestamp frozenAt = 0;
  // Time by the monotonic clock since a flush or R1 brought its youngest samples here, or since the
  // directory was opened. A merge inside a partition keeps the shortest time of its inputs.
  Duration arrivedAgo = 0;

  // `maskedSamples` counts all deletions up to this sequence.
  std::uint64_t countedThrough = 0;
  std::uint64_t maskedSamples = 0;  // Its samples that these deletions mask.
  std::uint64_t maskedSince = 0;    // The first deletion that masks any sample; 0 if none does.

  // The longest keep of its series today, if they were read. Not needed if its class is one of
  // today's.
  std::optional<Duration> keepToday{};
  // Bytes of series that have all samples past their keep, while other series of the segment stay.
  std::uint64_t expiredBytes = 0;

  // Only later tombstones may mask the segment.
  std::uint64_t floor() const { return std::max(seqMax, erasedThrough); }
};

struct CompactionTombstone {
  std::uint64_t sequence = 0;
  Duration age = 0;
  TimeRange range{0, -1};
  std::uint64_t refs = 0;  // The number of series that it names.
};

// A pass of retention takes an eighth of the stored bytes, or the smallest amount that its rule can
// take.
inline constexpr std::uint64_t kRetentionShare = 8;

struct CompactionLimits {
  std::uint64_t segmentBytesMax = std::uint64_t{2} << 30;  // The cap of inputs, and of an output.
  // The number of segments that R2 merges into one, and the size ratio between tiers.
  std::uint32_t factor = 8;
  std::uint32_t levelZeroUrgent = 24;  // From this number of L0 on, R1 yields to nothing.
  std::uint64_t tombstoneRefsMax = std::uint64_t{64} << 20;
};

struct CompactionState {
  TimestampUnit unit = TimestampUnit::kMilliseconds;
  std::vector<CompactionSegment> segments{};      // In any order.
  std::vector<CompactionTombstone> tombstones{};  // Ascending by sequence.
  std::vector<CompactionClass> classes{};  // All classes that segments or today's rules name.
  std::uint32_t version = 0;               // The version of today's classes.
  std::uint32_t codecs = 0;                // The codecs that a close would use today.

  Timestamp wall = 0;    // The wall clock in the database's unit.
  Timestamp newest = 0;  // The newest timestamp ever written.
  // The retention clock, and the progress of the current retention pass.
  Timestamp retentionClock = std::numeric_limits<Timestamp>::min();
  bool isRetentionDone = false;     // The pass since the clock's last move is done.
  std::uint64_t purgedExpired = 0;  // Bytes of expired samples that purges removed in this pass.
  Duration idleFor = 0;             // Time since the last ingest or query.

  std::uint64_t freeBytes = 0;      // Free bytes of the file system.
  std::uint64_t reserveBytes = 0;   // Bytes that must stay free for a flush on a full disk.
  std::uint64_t memtableBytes = 0;  // The size of one memtable; two may be about to be flushed.

  // An operator requested all possible work: partitions count as closed and quiet, and one L0 is
  // enough.
  bool isFull = false;

  CompactionLimits limits{};

  // The present for this choice. It is bounded by the newest sample, so that a wall clock far ahead
  // closes nothing early.
  Timestamp now() const { return std::min(wall, later(newest, days(1, unit))); }
};

}  // namespace seriesdb
