// The five rules, one file each. Each rule returns its next plan, or none, and notes when time
// alone may change that. Internal to compaction/.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "storage/compaction/survey.h"

namespace seriesdb {

// R0: drops segments past their keep, in one edit.
std::optional<CompactionPlan> chooseDrop(const CompactionSurvey& survey);

// R1: moves the oldest L0 into partitions.
std::optional<CompactionPlan> chooseLevelZero(const CompactionSurvey& survey, WakeTime& wake);

// R3 runs before R2, which skips partitions that can be closed.
struct CloseChoice {
  std::optional<CompactionPlan> plan;
  std::vector<bool> isTaken;  // By partition of the survey: true if it can be closed now.
};
CloseChoice chooseClose(const CompactionSurvey& survey, WakeTime& wake);

// R2: merges segments of one tier in a partition.
std::optional<CompactionPlan> chooseTier(const CompactionSurvey& survey,
                                         const std::vector<bool>& isClosing);

// R4: removes the remains of deletions and retention from a segment.
std::optional<CompactionPlan> choosePurge(const CompactionSurvey& survey, WakeTime& wake);

}  // namespace seriesdb
