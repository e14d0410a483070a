// Carries out the merge of a plan: the samples of its inputs, without those that deletions mask or
// that later ones overwrite, become new segments, one for each partition.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "storage/compaction/compaction_plan.h"
#include "storage/compactor/segments/series_classes.h"
#include "storage/compactor/task_watch.h"
#include "storage/state/engine_state.h"

namespace seriesdb {

// What is merged, as it was when the plan was chosen.
struct MergeInputs {
  std::vector<std::shared_ptr<const Segment>> segments;  // Later ones win.
  Tombstones tombstones;         // All up to `erasedThrough` that may mask them.
  std::uint64_t erasedThrough = 0;
  std::shared_ptr<SeriesClasses> classes;  // Of today.
  Timestamp closedAt = 0;        // By the wall clock, where the plan closes a partition.
  // Series that are kept so long are left out, where the plan takes what is expired.
  std::vector<Duration> expiredKeeps{};
};

// The files of the outputs, which no manifest names yet; none when no sample is left. On failure,
// and when `control` says that it is over (kClosed), there are none. kStorageCorrupt: an input is
// damaged, and says so.
Result<std::vector<SegmentFacts>> mergeSegments(EngineState& state, const CompactionPlan& plan,
                                                const MergeInputs& inputs,
                                                const TaskControl& control);

// Best effort: what stays behind is removed by the next start.
void removeSegmentFiles(EngineState& state, const std::vector<SegmentFacts>& segments);

}  // namespace seriesdb
