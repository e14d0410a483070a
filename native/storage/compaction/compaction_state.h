// What the choice of a compaction sees: facts about segments, deletions, classes and room, in
// numbers. Whoever compacts builds it from what is published and from what it has counted.
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
  // None: L0, a segment as a flush wrote it, of all classes and any times.
  std::optional<PartitionPlace> place{};
  std::uint64_t bytes = 0;
  std::uint64_t samples = 0;
  TimeRange time{0, -1};
  // Records of the log that its samples came with. Of two segments that may hold one series at one
  // time the intervals are disjoint, and the samples of the later one win.
  std::uint64_t seqMin = 0;
  std::uint64_t seqMax = 0;
  // Tombstones up to here are carried out in it.
  std::uint64_t erasedThrough = 0;
  bool isDamaged = false;
  // Made by the close of a partition.
  bool isFinal = false;
  // Which codecs its chunks were chosen from; compared with CompactionState::codecs.
  std::uint32_t codecs = 0;
  // By the wall clock, when isFinal.
  Timestamp closedAt = 0;
  // Of an L0: CompactionState::now() as its memtable was frozen.
  Timestamp frozenAt = 0;
  // By the monotonic clock: since a flush or R1 brought its youngest samples here, or since the
  // directory was opened. A merge inside a partition takes over the shortest of its inputs.
  Duration arrivedAgo = 0;

  // Deletions up to here were compared with its directory, and with this result.
  std::uint64_t countedThrough = 0;
  std::uint64_t maskedSamples = 0;  // Its samples that they mask.
  std::uint64_t maskedSince = 0;    // The first of them that masks any; 0: none does.

  // How long the longest-kept of its series is kept today, where they were looked at. Needless
  // where its class is one of today.
  std::optional<Duration> keepToday{};
  // Of series all samples of which are past their keep, while others of the segment stay.
  std::uint64_t expiredBytes = 0;

  // Tombstones after it may mask the segment.
  std::uint64_t floor() const { return std::max(seqMax, erasedThrough); }
};

struct CompactionTombstone {
  std::uint64_t sequence = 0;
  Duration age = 0;
  TimeRange range{0, -1};
  std::uint64_t refs = 0;  // How many series it names.
};

// A pass of retention takes an eighth of what is stored, or what the rules that take it say is the
// least that they can take.
inline constexpr std::uint64_t kRetentionShare = 8;

struct CompactionLimits {
  std::uint64_t segmentBytesMax = std::uint64_t{2} << 30;  // The cap of inputs, and of an output.
  // How many segments make one, and how far the tiers of sizes lie apart.
  std::uint32_t factor = 8;
  std::uint32_t levelZeroUrgent = 24;  // So many L0 are compacted without regard for others.
  std::uint64_t tombstoneRefsMax = std::uint64_t{64} << 20;
};

struct CompactionState {
  TimestampUnit unit = TimestampUnit::kMilliseconds;
  std::vector<CompactionSegment> segments{};      // In any order.
  std::vector<CompactionTombstone> tombstones{};  // Ascending by sequence.
  std::vector<CompactionClass> classes{};         // All that segments or today's rules name.
  std::uint32_t version = 0;                      // Classes of this one are today's.
  std::uint32_t codecs = 0;                       // What a close would write with today.

  Timestamp wall = 0;    // The wall clock in the database's unit.
  Timestamp newest = 0;  // The newest timestamp that was ever written.
  // The time that retention believes, and how much of one pass of it is still to be done.
  Timestamp retentionClock = std::numeric_limits<Timestamp>::min();
  bool isRetentionDone = false;  // Since the clock last moved.
  std::uint64_t purgedExpired = 0;  // Bytes past their keep that purges took since then.
  Duration idleFor = 0;          // Since the last ingest or query.

  std::uint64_t freeBytes = 0;      // Of the file system.
  std::uint64_t reserveBytes = 0;   // Must stay free for a flush on a full disk.
  std::uint64_t memtableBytes = 0;  // The size of one; two may be on their way to the disk.

  // An operator asks for all that can be done: partitions count as closed and quiet, and one L0 is
  // enough.
  bool isFull = false;

  CompactionLimits limits{};

  // What the choice takes for the present: a wall clock that runs away closes nothing early.
  Timestamp now() const { return std::min(wall, later(newest, days(1, unit))); }
};

}  // namespace seriesdb
