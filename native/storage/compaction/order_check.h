// Whether a state, or what a plan would make of it, keeps the order that answers rest on. For
// tests, and for whoever carries a plan out.
#pragma once

#include <optional>
#include <string>

#include "storage/compaction/compaction_plan.h"
#include "storage/compaction/compaction_state.h"

namespace seriesdb {

// What is wrong, in words; none: of any two segments that may hold one series at one time the
// intervals are disjoint, and each is whole: no empty time, no interval that ends before it starts,
// no sample outside its slot.
std::optional<std::string> findDisorder(const CompactionState& state);

// What is wrong with a plan for the state: inputs that are not there or are damaged, an interval
// that does not hold theirs, a segment beside them that stands in it at their time and may hold
// one of their series, or an older one that would show what a dropped one overwrote.
std::optional<std::string> findFault(const CompactionState& state, const CompactionPlan& plan);

}  // namespace seriesdb
