#include "storage/compaction/choose.h"

#include <utility>

#include "storage/compaction/rules.h"

namespace seriesdb {
namespace {

// Larger than the output of any plan.
constexpr std::uint64_t kEndlessBytes = std::uint64_t{1} << 62;

CompactionPlan chooseIn(const CompactionState& state) {
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

// True if the disk has room for any plan. No plan reads more than all segments, nor writes twice as
// much; small files may grow by more.
bool isRoomy(const CompactionState& state) {
  constexpr std::uint64_t kSpare = std::uint64_t{1} << 30;
  std::uint64_t wanted = state.reserveBytes + 2 * state.memtableBytes + kSpare;
  for (const CompactionSegment& one : state.segments) wanted += 2 * one.bytes;
  return state.freeBytes >= wanted;
}

}  // namespace

CompactionPlan chooseCompaction(const CompactionState& state) {
  CompactionPlan plan = chooseIn(state);
  if (plan.kind != CompactionKind::kNone || isRoomy(state)) return plan;
  CompactionState roomy = state;
  roomy.freeBytes = kEndlessBytes;
  plan.bytesWithoutRoom = chooseIn(roomy).bytesOutEstimate;
  return plan;
}

}  // namespace seriesdb
