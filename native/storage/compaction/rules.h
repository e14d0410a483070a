// The five rules, one file each. Each gives the plan it would carry out next, or none, and notes
// when time alone may change that. Internal to compaction/.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "storage/compaction/survey.h"

namespace seriesdb {

// R0. What retention lets go, in one edit.
std::optional<CompactionPlan> chooseDrop(const CompactionSurvey& survey);

// R1. The oldest L0, into partitions.
std::optional<CompactionPlan> chooseLevelZero(const CompactionSurvey& survey, WakeTime& wake);

// R3, asked before R2, which leaves alone what can be closed.
struct CloseChoice {
  std::optional<CompactionPlan> plan;
  std::vector<bool> isTaken;  // For each partition of the survey: a close of it can be done.
};
CloseChoice chooseClose(const CompactionSurvey& survey, WakeTime& wake);

// R2. Segments of one tier in a partition.
std::optional<CompactionPlan> chooseTier(const CompactionSurvey& survey,
                                         const std::vector<bool>& isClosing);

// R4. What deletions and retention left behind in a segment.
std::optional<CompactionPlan> choosePurge(const CompactionSurvey& survey, WakeTime& wake);

}  // namespace seriesdb
