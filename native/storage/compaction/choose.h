// Chooses the next compaction: a pure function, without files, clock or randomness.
//
// The first rule that applies wins; within a rule, the oldest interval, then the lowest slot:
//   R0 drop    segments whose series are all past their keep, limited per pass
//   R1 L0      L0 into partitions of today's classes, by number or age
//   R2 tier    `factor` neighbours of similar size in a partition become one
//   R3 close   a partition without live samples; late segments once they are worth it
//   R4 purge   floors that may rise; segments with many samples masked, or some masked for long
//
// Invariants: the inputs are contiguous. No other segment that shares a series and a time with them
// has an interval between theirs, so later samples still win after the merge. The state after a
// plan does not choose that plan again. Time and memory are linear in the segments, apart from
// sorting.
#pragma once

#include <cstddef>
#include <cstdint>

#include "storage/compaction/compaction_plan.h"
#include "storage/compaction/compaction_state.h"

namespace seriesdb {

CompactionPlan chooseCompaction(const CompactionState& state);

// Segments past their keep that R0 leaves in place. An older damaged segment at their times stays,
// and they may have overwritten samples of it.
struct WithheldDrops {
  std::size_t count = 0;
  std::uint64_t by = 0;  // The number of one such damaged segment.
};
WithheldDrops findWithheld(const CompactionState& state);

}  // namespace seriesdb
