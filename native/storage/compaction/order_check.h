// Checks that a state, before or after a plan, keeps the order that reads rely on. For tests, and
// for the executor of a plan.
#pragma once

#include <optional>
#include <string>

#include "storage/compaction/compaction_plan.h"
#include "storage/compaction/compaction_state.h"

namespace seriesdb {

// Describes a violation; null if there is none. If two segments may share a series at one time,
// their intervals must be disjoint. No segment may have an empty time range or interval, or samples
// outside its slot.
std::optional<std::string> findDisorder(const CompactionState& state);

// Describes a fault of a plan; null if there is none. Inputs may be missing or damaged, or the
// interval may not contain theirs. Another segment that may share a series may lie inside the
// interval, at their times. An older segment may reveal samples that a dropped one overwrote.
std::optional<std::string> findFault(const CompactionState& state, const CompactionPlan& plan);

}  // namespace seriesdb
