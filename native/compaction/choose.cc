#include "compaction/choose.h"

#include <utility>

#include "compaction/rules.h"

namespace seriesdb {

CompactionPlan chooseCompaction(const CompactionState& state) {
  const CompactionSurvey survey(state);
  WakeTime wake(state.wall);
  if (auto plan = chooseDrop(survey)) return *std::move(plan);
  if (auto plan = chooseLevelZero(survey, wake)) return *std::move(plan);
  CloseChoice close = chooseClose(survey, wake);
  if (auto plan = chooseTier(survey, close.isTaken)) return *std::move(plan);
  if (close.plan) return *std::move(close.plan);
  if (auto plan = choosePurge(survey, wake)) return *std::move(plan);
  CompactionPlan none;
  none.wakeAt = wake.earliest();
  return none;
}

}  // namespace seriesdb
