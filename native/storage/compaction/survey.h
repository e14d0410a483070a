// A state in the order that the rules need: L0 and partitions by interval, what must be taken
// together, and what no merge may cross. Internal to compaction/. Points into the state.
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

// Neighbours in the order of intervals whose intervals overlap; their times do not, or their
// series. A merge takes all of them or none, or its interval would overlap that of one it left.
struct SegmentUnit {
  SegmentSpan segments;
  std::uint64_t bytes = 0;
  std::uint64_t seqMin = 0;
  std::uint64_t seqMax = 0;
  bool isDamaged = false;  // One of them is.
  bool isFinal = false;    // One of them is.
};
using UnitSpan = std::span<const SegmentUnit>;

struct SegmentInterval {
  std::uint64_t seqMin = 0;
  std::uint64_t seqMax = 0;
};

struct Partition {
  PartitionPlace place;
  const CompactionClass* of = nullptr;
  TimeRange range{0, -1};  // Of the slot.
  SegmentSpan segments;    // Ascending by interval.
};

// What one merge has in its time: a partition, or all that lie in one widest slot.
struct MergeScope {
  TimeRange range{0, -1};
  SegmentSpan segments;                  // Ascending by interval.
  std::optional<std::uint32_t> version;  // Of its classes; none: of all of them.
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

  // The units of the scope between two walls, one after the other, the oldest first. Walls are
  // segments outside it that may hold its series at its times, damaged ones, and, where asked for,
  // finals. `units` holds them.
  std::vector<UnitSpan> stretchesOf(const MergeScope& scope, bool withFinals,
                                    std::vector<SegmentUnit>& units) const;

  // Whether a merge of segments with this interval and this time, all of them L0, passes a segment
  // of a partition.
  bool isPartitionBetween(SegmentInterval interval, TimeRange time) const;

  // The partitions of today's classes that samples of this time go to.
  std::vector<SlotSpan> spansOf(TimeRange time) const;

  // How many bytes a plan may write, and one that only makes a segment smaller.
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
  // Where segments are of several versions: those of partitions by the widest slot they lie in, and
  // those of attics and lofts.
  bool hasVersions_ = false;
  std::unordered_map<std::int64_t, std::vector<const CompactionSegment*>> cells_;
  std::vector<const CompactionSegment*> attics_;
  std::uint64_t mergeRoom_ = 0;
  std::uint64_t purgeRoom_ = 0;
};

// The units of segments that ascend by interval. REQUIRES: `units` ends before them, or is empty.
void appendUnits(SegmentSpan segments, std::vector<SegmentUnit>& units);
// The time of all of them.
TimeRange timeOf(SegmentSpan segments);

// The earliest moment of several.
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

// Inputs, interval and bytes of a merge of these, without a share of what is masked.
CompactionPlan planOf(CompactionKind kind, SegmentSpan inputs);

}  // namespace seriesdb
