// A state in the order that the rules need: L0 and partitions by interval, units that a merge must
// take together, and walls that it must not cross. Points into the state. Internal to compaction/.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include "storage/compaction/compaction_plan.h"
#include "storage/compaction/compaction_state.h"

namespace seriesdb {

using SegmentSpan = std::span<const CompactionSegment* const>;

// Neighbours by interval whose intervals overlap, while their times or series do not. A merge takes
// all of them or none; otherwise its interval would overlap that of a segment it left.
struct SegmentUnit {
  SegmentSpan segments;
  std::uint64_t bytes = 0;
  std::uint64_t seqMin = 0;
  std::uint64_t seqMax = 0;
  bool isDamaged = false;  // True if one of them is.
  bool isFinal = false;    // True if one of them is.
};
using UnitSpan = std::span<const SegmentUnit>;

struct SegmentInterval {
  std::uint64_t seqMin = 0;
  std::uint64_t seqMax = 0;
};

struct Partition {
  PartitionPlace place;
  const CompactionClass* of = nullptr;
  TimeRange range{0, -1};  // The time range of the slot.
  SegmentSpan segments;    // Ascending by interval.
};

// The segments that one merge may take: a partition, or all segments in one widest slot.
struct MergeScope {
  TimeRange range{0, -1};
  SegmentSpan segments;                  // Ascending by interval.
  std::optional<std::uint32_t> version;  // The version of its classes; null: all versions.
};

class CompactionSurvey {
 public:
  explicit CompactionSurvey(const CompactionState& state);
  CompactionSurvey(const CompactionSurvey&) = delete;
  CompactionSurvey& operator=(const CompactionSurvey&) = delete;

  const CompactionState& state() const { return state_; }
  SegmentSpan levelZero() const { return levelZero_; }  // Ascending by interval.
  // Ascending by place.
  const std::vector<Partition>& partitions() const { return partitions_; }
  const CompactionClass& classOf(const CompactionSegment& segment) const;
  bool isToday(const Partition& partition) const { return partition.of->version == state_.version; }

  // The runs of the scope's units between walls, oldest first. Walls are other segments that may
  // share series and times with the scope, damaged ones, and optionally finals. `units` stores the
  // result.
  std::vector<UnitSpan> stretchesOf(const MergeScope& scope, bool withFinals,
                                    std::vector<SegmentUnit>& units) const;

  // True if a merge of these L0, with this interval and time, would pass a segment of a partition.
  bool isPartitionBetween(SegmentInterval interval, TimeRange time) const;

  // The partitions of today's classes for samples of this time range.
  std::vector<SlotSpan> spansOf(TimeRange time) const;

  // The bytes that a plan may write: any merge, and a purge, which only makes one segment smaller.
  std::uint64_t mergeRoom() const { return mergeRoom_; }
  std::uint64_t purgeRoom() const { return purgeRoom_; }

 private:
  std::vector<SegmentInterval> wallsOf(const MergeScope& scope) const;
  void fileVersions();
  std::int64_t cellOf(Timestamp ts) const;

  const CompactionState& state_;
  std::vector<const CompactionSegment*> ordered_;
  SegmentSpan levelZero_;
  std::vector<Partition> partitions_;
  std::unordered_map<std::uint32_t, const CompactionClass*> classes_;
  std::uint64_t partitionSeqMax_ = 0;
  // If segments have several versions: segments of partitions by their widest slot, and those of
  // attics and lofts.
  bool hasVersions_ = false;
  std::unordered_map<std::int64_t, std::vector<const CompactionSegment*>> cells_;
  std::vector<const CompactionSegment*> attics_;
  std::uint64_t mergeRoom_ = 0;
  std::uint64_t purgeRoom_ = 0;
};

// Appends the units of `segments`, which ascend by interval. REQUIRES: `units` is empty or ends
// before them.
void appendUnits(SegmentSpan segments, std::vector<SegmentUnit>& units);
// The time range of all segments.
TimeRange timeOf(SegmentSpan segments);

// The earliest of several moments.
class WakeTime {
 public:
  explicit WakeTime(Timestamp wall) : wall_(wall) {}
  void after(Duration wait) { at(later(wall_, wait)); }
  void at(Timestamp ts) {
    if (!earliest_ || ts < *earliest_) earliest_ = ts;
  }
  std::optional<Timestamp> earliest() const { return earliest_; }

 private:
  Timestamp wall_;
  std::optional<Timestamp> earliest_;
};

// The inputs, interval and bytes of a merge, without an estimate for masked samples.
CompactionPlan planOf(CompactionKind kind, SegmentSpan inputs);

}  // namespace seriesdb
