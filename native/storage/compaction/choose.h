// The choice of the next compaction: a pure function, without files, clock or randomness.
//
// The first rule that applies wins; within one, the oldest interval, then the lowest slot:
//   R0 drop    segments whose series are all past their keep, as much as one pass may
//   R1 L0      L0 by their number or age into the partitions of today's classes
//   R2 tier    neighbours of about one size in a partition, for each size a factor larger
//   R3 close   a partition that gets no more live samples, and late ones once they are worth it
//   R4 purge   floors that may rise; segments of which much is masked, or has been for long
//
// Invariants. Inputs are contiguous: no other segment that may hold one of their series at one of
// their times has an interval between theirs, so that the later samples still win after the merge.
// A plan that was carried out leaves a state that does not choose it again. Time and memory are
// linear in the segments but for sorting.
#pragma once

#include <cstddef>
#include <cstdint>

#include "storage/compaction/compaction_plan.h"
#include "storage/compaction/compaction_state.h"

namespace seriesdb {

CompactionPlan chooseCompaction(const CompactionState& state);

// Segments that R0 leaves although they are past their keep, for an older one at their times is
// damaged and stays: nobody knows whether they have overwritten something of it.
struct WithheldDrops {
  std::size_t count = 0;
  std::uint64_t by = 0;  // The number of the damaged one, of several one.
};
WithheldDrops findWithheld(const CompactionState& state);

}  // namespace seriesdb
