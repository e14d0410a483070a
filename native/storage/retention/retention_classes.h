// Makes classes of series from retention rules: one class per keep duration. A change of the rules
// gives all classes new numbers, so a series never returns to a list of segments that it left.
#pragma once

#include <span>
#include <vector>

#include "common/types/partition.h"
#include "common/types/timestamp_unit.h"
#include "storage/retention/retention_rules.h"

namespace seriesdb {

// Returns a new version of classes, numbered after all `known` ones. REQUIRES: `known` ascends by
// number. `clock` is the retention clock.
std::vector<CompactionClass> makeClasses(const RetentionRules& rules,
                                         std::span<const CompactionClass> known, Timestamp clock,
                                         TimestampUnit unit);

// True if a class's loft begins less than 45 years after the clock, so that it may soon fill. This
// happens to very old classes, and to classes made when lofts began sooner.
bool hasNearLoft(std::span<const CompactionClass> classes, Timestamp clock, TimestampUnit unit);

// The classes of the last version.
std::span<const CompactionClass> classesOfToday(std::span<const CompactionClass> known);

}  // namespace seriesdb
