// Executes the merge of a plan. Samples of the inputs, without masked and overwritten ones, go to
// new segments, one per partition.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <vector>

#include "common/types/tombstone.h"
#include "format/segment/segment.h"
#include "storage/compaction/compaction_plan.h"
#include "storage/compactor/segments/series_classes.h"
#include "storage/compactor/task_watch.h"
#include "storage/state/engine_settings.h"

namespace seriesdb {

// The inputs of a merge at the time of the choice.
struct MergeInputs {
  std::vector<std::shared_ptr<const Segment>> segments;  // Later ones win.
  Tombstones tombstones;         // All up to `erasedThrough` that may mask them.
  std::uint64_t erasedThrough = 0;
  std::shared_ptr<SeriesClasses> classes;  // Today's classes.
  Timestamp closedAt = 0;                  // The wall clock, if the plan closes a partition.
  // If the plan takes expired samples: series with these keeps are left out.
  std::vector<Duration> expiredKeeps{};
};

// Returns the outputs, which no manifest names yet; empty if no sample is left. On failure, and if
// `control` is cancelled (kClosed), no files remain. kStorageCorrupt: an input is damaged, and has
// recorded it. New files get their numbers from `nextSegment`.
Result<std::vector<SegmentFacts>> mergeSegments(const EngineSettings& settings,
                                                std::atomic<std::uint64_t>& nextSegment,
                                                const CompactionPlan& plan,
                                                const MergeInputs& inputs,
                                                const TaskControl& control);

// Best effort: the next start removes remaining files.
void removeSegmentFiles(const EngineSettings& settings, const std::vector<SegmentFacts>& segments);

}  // namespace seriesdb
