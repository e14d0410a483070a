// What the choice of a compaction sees of an open engine, and what is counted for it beside the
// manifest: when samples arrived, and how many of them deletions mask. The compactor's.
#pragma once

#include <atomic>
#include <cstdint>
#include <unordered_map>

#include "storage/compaction/compaction_state.h"
#include "storage/compactor/idle_watch.h"
#include "storage/state/engine_state.h"

namespace seriesdb {

// The segments of a view by number. It must not outlive the view.
using OpenedSegments = std::unordered_map<std::uint64_t, const Segment*>;
OpenedSegments openedOf(const View& view);

class SegmentSurvey {
 public:
  // All that is given must outlive it.
  SegmentSurvey(EngineState& state, const std::atomic<bool>& isStopping);

  // Segments and deletions of one moment, of which `opened` are those that can be read. May read
  // directories; what it gives when `isStopping` became true meanwhile tells nothing.
  CompactionState look(const ManifestState& manifest, const OpenedSegments& opened, bool isFull);
  // A merge has made segments of others. A merge inside a partition brings nothing new there.
  void noteMerge(const std::vector<std::uint64_t>& inputs, const std::vector<SegmentFacts>& outputs,
                 bool isArrival);

 private:
  struct Notes {
    std::uint64_t arrivedMs = 0;
    std::uint64_t countedThrough = 0;
    std::uint64_t maskedSamples = 0;
    std::uint64_t maskedSince = 0;
  };
  // When a deletion was first seen here, and how old it was by then at least.
  struct FirstSeen {
    std::uint64_t ms = 0;
    Duration age = 0;
  };
  void count(const Segment& segment, const Tombstones& tombstones, Notes& notes);
  void addSegment(const SegmentFacts& facts, const Segment* segment, CompactionState& to);
  Duration sinceMs(std::uint64_t ms) const;
  void addTombstones(const ManifestState& manifest, CompactionState& to);

  EngineState& state_;
  const std::atomic<bool>& isStopping_;
  IdleWatch idle_;
  std::unordered_map<std::uint64_t, Notes> notes_;  // By the number of the segment.
  // By the sequence of the deletion.
  std::unordered_map<std::uint64_t, FirstSeen> seen_;
  bool isFirstLook_ = true;
};

}  // namespace seriesdb
