// Replaces a damaged segment by a whole copy or by its readable samples. The compactor's thread
// only, so that no merge removes files meanwhile.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "storage/compactor/plan_executor.h"
#include "storage/compactor/segment_repair.h"

namespace seriesdb {

class SegmentRepairer {
 public:
  // The members of both arguments must outlive it.
  SegmentRepairer(const CompactorOwners& owners, const PlanExecutor::Parts& parts)
      : owners_(owners),
        settings_(owners.settings),
        sources_(owners.sources),
        description_(owners.description),
        figures_(owners.figures),
        control_(parts.control),
        planner_(parts.planner),
        gone_(parts.gone),
        forget_(parts.forget) {}

  // Loses samples only if `isLossAccepted`; see SegmentOutcome. The damaged file moves to
  // quarantine/.
  Result<SegmentRepair> run(std::uint64_t number, bool isLossAccepted);

 private:
  Result<SegmentRepair> readAgain(const SegmentFacts& facts);
  Result<SegmentRepair> takeCopy(const SegmentFacts& facts, const std::string& copy);
  Status exchange(const SegmentFacts& facts, const MergeInputs& inputs,
                  std::vector<std::shared_ptr<const Segment>>& made);

  const CompactorOwners owners_;
  const EngineSettings& settings_;
  Sources& sources_;
  Description& description_;
  EngineFigures& figures_;
  TaskControl& control_;
  CompactionPlanner& planner_;
  GoneSegments& gone_;
  const ForgetSegments& forget_;
};

}  // namespace seriesdb
