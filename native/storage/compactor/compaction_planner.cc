#include "storage/compactor/compaction_planner.h"

#include <algorithm>

#include "storage/compaction/choose.h"
#include "storage/compactor/compaction_clock.h"
#include "storage/compactor/publication.h"

namespace seriesdb {

CompactionPlanner::CompactionPlanner(const CompactorOwners& owners,
                                     const std::atomic<bool>& isStopping)
    : settings_(owners.settings),
      sources_(owners.sources),
      description_(owners.description),
      figures_(owners.figures),
      isStopping_(isStopping),
      survey_(settings_, figures_, isStopping_),
      retention_(settings_, sources_.index, description_.manifest, figures_, isStopping_) {}

Status CompactionPlanner::moveRetention() {
  const auto manifest = description_.manifest.hold();
  retention_.forgetOldTelling();
  const auto to = retention_.clockDue(manifest->state());
  if (!to) return {};
  const auto from = manifest->state().retentionClock;
  ManifestEdit edit;
  edit.retentionClock = to;
  const Status recorded = recordEdit(figures_.health, manifest, edit);
  if (recorded.ok()) retention_.noteClock(from, *to);
  return recorded;
}

PlanChoice CompactionPlanner::choose(bool isFull, std::uint64_t through,
                                     std::uint64_t replaceableBytes) {
  PlanChoice choice;
  ManifestState manifest;
  std::optional<PinnedView> view;
  {
    const auto held = description_.manifest.hold();
    manifest = held->state();
    view = sources_.view.current();
  }
  choice.newClasses = retention_.takeRules(manifest);
  const std::uint64_t mark = retention_.rules().mark();
  if (mark != manifest.retentionMark) choice.newMark = mark;
  manifest.classes.insert(manifest.classes.end(), choice.newClasses.begin(),
                          choice.newClasses.end());
  MergeInputs& inputs = choice.inputs;
  inputs.classes = retention_.classes(manifest.classes);
  const OpenedSegments opened = openedOf(**view);
  CompactionState seen = survey_.look(manifest, opened, isFull);
  seen.freeBytes += replaceableBytes;
  retention_.look(manifest, opened, seen);
  if (isStopping_) return choice;
  if (isFull) {
    std::erase_if(seen.segments, [through](const auto& one) { return one.seqMax > through; });
  }
  choice.plan = chooseCompaction(seen);
  for (const SegmentFacts& facts : manifest.segments) {
    if (std::ranges::find(choice.plan.inputs, facts.number) != choice.plan.inputs.end()) {
      choice.inputFacts.push_back(facts);
    }
  }
  inputs.erasedThrough = manifest.flushedSequence;
  if (choice.plan.takesExpired) {
    inputs.expiredKeeps =
        retention_.expiredKeeps(choice.plan.inputs.front(), seen.retentionClock);
  }
  inputs.closedAt = wallOf(settings_.options);
  for (const auto& segment : (*view)->segments) {
    const auto& wanted = choice.plan.inputs;
    const std::uint64_t number = segment->facts().number;
    if (std::find(wanted.begin(), wanted.end(), number) == wanted.end()) continue;
    inputs.segments.push_back(segment);
  }
  for (const auto& one : manifest.tombstones) {
    const auto masks = [&one](const auto& segment) { return isMasked(segment->facts(), *one); };
    if (std::any_of(inputs.segments.begin(), inputs.segments.end(), masks)) {
      inputs.tombstones.push_back(one);
    }
  }
  // All inputs that leave MANIFEST must have been merged, except dropped ones.
  CHECK(choice.plan.kind == CompactionKind::kDrop ||
        inputs.segments.size() == choice.plan.inputs.size());
  return choice;
}

void CompactionPlanner::noteDone(const PlanChoice& choice,
                                 const std::vector<SegmentFacts>& outputs) {
  const CompactionPlan& plan = choice.plan;
  survey_.noteMerge(plan.inputs, outputs, plan.kind == CompactionKind::kLevelZero);
  retention_.noteDone(plan, outputs, choice.inputFacts);
}

void CompactionPlanner::noteRepaired(std::uint64_t number,
                                     const std::vector<SegmentFacts>& outputs) {
  survey_.noteMerge({number}, outputs, false);
}

}  // namespace seriesdb
