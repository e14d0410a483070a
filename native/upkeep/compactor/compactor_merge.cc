// How the compactor carries out what it chose.
#include <algorithm>
#include <chrono>
#include <utility>

#include "upkeep/compactor/compactor.h"
#include "upkeep/compactor/segment_bytes.h"
#include "upkeep/level_zero.h"
#include "upkeep/publication.h"

namespace seriesdb {

Status Compactor::carryOut(const Choice& choice) {
  return choice.plan.kind == CompactionKind::kRaise ? raise(choice) : merge(choice);
}

// Inputs that were damaged as the directory was opened nobody reads.
void Compactor::noteInputs(const Choice& choice, const std::vector<SegmentFacts>& outputs) {
  const CompactionPlan& plan = choice.plan;
  const auto& segments = choice.inputs.segments;
  retention_.noteDone(plan, outputs, choice.inputFacts);
  {
    const auto manifest = state_.manifest.hold();
    for (const SegmentFacts& facts : choice.inputFacts) {
      const auto opened = std::ranges::find_if(
          segments, [&facts](const auto& one) { return one->facts().number == facts.number; });
      const bool isOpened = opened != segments.end();
      noteGone(isOpened ? *opened : nullptr, facts);
      if (!isOpened) state_.health.report(Health::segmentTopic(segmentNameOf(facts)), "");
    }
  }
  if (plan.kind != CompactionKind::kDrop && !plan.takesExpired) return;
  std::erase_if(forgotten_, [](const auto& one) {
    return one.wait_for(std::chrono::seconds(0)) == std::future_status::ready;
  });
  const auto done = std::make_shared<std::promise<void>>();
  forgotten_.push_back(done->get_future());
  forget_(segments, [done] { done->set_value(); });
}

// Segments that discovery has yet to forget are still read.
void Compactor::awaitForgotten() {
  for (auto& one : forgotten_) one.wait();
  forgotten_.clear();
}

Status Compactor::raise(const Choice& choice) {
  ManifestEdit edit;
  edit.raised = choice.plan.raises;
  const auto manifest = state_.manifest.hold();
  const Status recorded = recordEdit(state_, manifest, edit);
  if (!recorded.ok()) return recorded;
  const auto view = state_.view.current();
  for (const auto& segment : view->segments) {
    for (const FloorRaise& one : edit.raised) {
      if (one.number == segment->facts().number) segment->raiseFloor(one.erasedThrough);
    }
  }
  publish(state_, manifest->state(), {});
  return recorded;
}

// What an edit adds and removes is so in the descriptions, and then in the view. On failure the
// files that it adds are removed.
Status Compactor::adopt(const ManifestEdit& edit) {
  SegmentChange change;
  change.removed = edit.removed;
  for (const SegmentFacts& facts : edit.added) {
    auto segment = state_.openSegment(facts);
    if (!segment.ok()) {
      removeSegmentFiles(state_, edit.added);
      return segment.status();
    }
    change.added.push_back(std::move(segment).value());
  }
  const auto manifest = state_.manifest.hold();
  const Status recorded = recordEdit(state_, manifest, edit);
  // After a final failure either may be what a restart finds.
  if (!recorded.ok() && manifest->failure().ok()) removeSegmentFiles(state_, edit.added);
  if (!recorded.ok()) return recorded;
  publish(state_, manifest->state(), std::move(change));
  return {};
}

Status Compactor::merge(const Choice& choice) {
  const CompactionPlan& plan = choice.plan;
  std::vector<SegmentFacts> outputs;
  if (plan.kind != CompactionKind::kDrop) {
    control_.beginPart(plan.bytesIn);
    auto merged = mergeSegments(state_, plan, choice.inputs, control_);
    if (!merged.ok()) return merged.status();
    outputs = std::move(merged).value();
  }
  ManifestEdit edit;
  edit.added = outputs;
  edit.removed = plan.inputs;
  edit.classes = choice.newClasses;
  edit.retentionMark = choice.newMark;
  if (Status adopted = adopt(edit); !adopted.ok()) return adopted;
  if (plan.kind != CompactionKind::kDrop) {
    const auto manifest = state_.manifest.hold();
    control_.endPart(manifest->state().segments.size());
  }
  survey_.noteMerge(plan.inputs, outputs, plan.kind == CompactionKind::kLevelZero);
  noteInputs(choice, outputs);
  state_.counters.compactions.fetch_add(1, std::memory_order_relaxed);
  state_.counters.compactionBytesIn.fetch_add(plan.bytesIn, std::memory_order_relaxed);
  state_.counters.compactionBytesOut.fetch_add(bytesOf(outputs), std::memory_order_relaxed);
  return {};
}

}  // namespace seriesdb
