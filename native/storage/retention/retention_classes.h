// The classes that rules make: one for each length of time that something is kept. A change of the
// rules gives new numbers to all of them, so that a series never goes back to a list that it left.
#pragma once

#include <span>
#include <vector>

#include "common/types/partition.h"
#include "common/types/timestamp_unit.h"
#include "storage/retention/retention_rules.h"

namespace seriesdb {

// A version of classes behind all that are known, which ascend by number. `clock` is the time that
// retention believes.
std::vector<CompactionClass> makeClasses(const RetentionRules& rules,
                                         std::span<const CompactionClass> known, Timestamp clock,
                                         TimestampUnit unit);

// Whether a class has so little time before its loft that the next years would fill it: it was made
// when lofts began sooner, or very long ago. Classes that are made now have far more.
bool hasNearLoft(std::span<const CompactionClass> classes, Timestamp clock, TimestampUnit unit);

// Those of the last version.
std::span<const CompactionClass> classesOfToday(std::span<const CompactionClass> known);

}  // namespace seriesdb
