// Chooses the next plan of the compactor, and keeps the facts that MANIFEST lacks. The compactor's
// thread only.
#pragma once

#include <atomic>
#include <cstdint>
#include <optional>
#include <vector>

#include "storage/compaction/compaction_plan.h"
#include "storage/compactor/compactor_owners.h"
#include "storage/compactor/retention_keeper.h"
#include "storage/compactor/segments/segment_merge.h"
#include "storage/compactor/segments/segment_survey.h"

namespace seriesdb {

// The result of one choice.
struct PlanChoice {
  CompactionPlan plan;
  MergeInputs inputs;
  std::vector<SegmentFacts> inputFacts;  // Includes unreadable inputs.
  std::vector<CompactionClass> newClasses;
  std::optional<std::uint64_t> newMark;  // The mark of new retention rules, if they changed.
};

class CompactionPlanner {
 public:
  // All arguments must outlive it.
  CompactionPlanner(const CompactorOwners& owners, const std::atomic<bool>& isStopping);

  // Moves the retention clock when due.
  Status moveRetention();
  // If `isFull`, segments flushed after `through` are ignored, so that the request ends. The plan
  // may use `replaceableBytes` of disk space besides the free bytes.
  PlanChoice choose(bool isFull, std::uint64_t through, std::uint64_t replaceableBytes);
  // Notes an executed plan, or the replacement of a damaged segment.
  void noteDone(const PlanChoice& choice, const std::vector<SegmentFacts>& outputs);
  void noteRepaired(std::uint64_t number, const std::vector<SegmentFacts>& outputs);

 private:
  const EngineSettings& settings_;
  Sources& sources_;
  Description& description_;
  EngineFigures& figures_;
  const std::atomic<bool>& isStopping_;
  SegmentSurvey survey_;
  RetentionKeeper retention_;
};

}  // namespace seriesdb
