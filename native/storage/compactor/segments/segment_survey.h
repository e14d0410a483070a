// Builds the input of the compaction choice from an open engine. Counts what MANIFEST lacks:
// arrival times, and masked samples. The compactor's thread only.
#pragma once

#include <atomic>
#include <cstdint>
#include <unordered_map>

#include "storage/compaction/compaction_state.h"
#include "storage/compactor/idle_watch.h"
#include "storage/state/engine_settings.h"
#include "storage/view/view.h"

namespace seriesdb {

// The segments of a view by number. Must not outlive the view.
using OpenedSegments = std::unordered_map<std::uint64_t, const Segment*>;
OpenedSegments openedOf(const View& view);

class SegmentSurvey {
 public:
  // All arguments must outlive it.
  SegmentSurvey(const EngineSettings& settings, const EngineFigures& figures,
                const std::atomic<bool>& isStopping);

  // The state of one moment; `opened` are the readable segments. May read directories. If
  // `isStopping` became true meanwhile, the result is incomplete.
  CompactionState look(const ManifestState& manifest, const OpenedSegments& opened, bool isFull);
  // Notes a merge. `isArrival` is false for a merge inside a partition, which brings no new samples
  // there.
  void noteMerge(const std::vector<std::uint64_t>& inputs, const std::vector<SegmentFacts>& outputs,
                 bool isArrival);

 private:
  struct Notes {
    std::uint64_t arrivedMs = 0;
    std::uint64_t countedThrough = 0;
    std::uint64_t maskedSamples = 0;
    std::uint64_t maskedSince = 0;
  };
  // When a deletion was first seen here, and its minimum age at that time.
  struct FirstSeen {
    std::uint64_t ms = 0;
    Duration age = 0;
  };
  void count(const Segment& segment, const Tombstones& tombstones, Notes& notes);
  void addSegment(const SegmentFacts& facts, const Segment* segment, CompactionState& to);
  Duration sinceMs(std::uint64_t ms) const;
  void addTombstones(const ManifestState& manifest, CompactionState& to);

  const EngineSettings& settings_;
  const std::atomic<bool>& isStopping_;
  IdleWatch idle_;
  std::unordered_map<std::uint64_t, Notes> notes_;  // By segment number.
  // By the deletion's sequence.
  std::unordered_map<std::uint64_t, FirstSeen> seen_;
  bool isFirstLook_ = true;
};

}  // namespace seriesdb
