#include "storage/compactor/plan_executor.h"

#include <algorithm>
#include <chrono>
#include <memory>
#include <utility>

#include "storage/compactor/publication.h"
#include "storage/compactor/segment_bytes.h"
#include "storage/compactor/segments/level_zero.h"

namespace seriesdb {

Status adoptEdit(const CompactorOwners& owners, const ManifestEdit& edit) {
  SegmentChange change;
  change.removed = edit.removed;
  for (const SegmentFacts& facts : edit.added) {
    auto segment = owners.sources.openSegment(facts);
    if (!segment.ok()) return segment.status();
    change.added.push_back(std::move(segment).value());
  }
  const auto manifest = owners.description.manifest.hold();
  Status recorded = recordEdit(owners.figures.health, manifest, edit);
  const bool isFull = recorded.code() == StatusCode::kStorageUnavailable;
  if (isFull && owners.room.reserve.release()) {
    recorded = recordEdit(owners.figures.health, manifest, edit);
  }
  if (!recorded.ok()) return recorded;
  publish(owners.sources, manifest->state(), std::move(change));
  return {};
}

void removeOutputs(const CompactorOwners& owners, const std::vector<SegmentFacts>& outputs) {
  const auto manifest = owners.description.manifest.hold();
  if (manifest->failure().ok()) removeSegmentFiles(owners.settings, outputs);
}

Status PlanExecutor::run(const PlanChoice& choice) {
  return choice.plan.kind == CompactionKind::kRaise ? raise(choice) : merge(choice);
}

bool PlanExecutor::dropUnadopted() {
  if (!unadopted_) return false;
  removeOutputs(owners_, unadopted_->outputs);
  unadopted_.reset();
  return true;
}

std::uint64_t PlanExecutor::unadoptedBytes() const {
  return unadopted_ ? bytesOf(unadopted_->outputs) : 0;
}

void PlanExecutor::awaitForgotten() {
  for (auto& one : forgotten_) one.wait();
  forgotten_.clear();
}

Status PlanExecutor::raise(const PlanChoice& choice) {
  ManifestEdit edit;
  edit.raised = choice.plan.raises;
  const auto manifest = description_.manifest.hold();
  const Status recorded = recordEdit(figures_.health, manifest, edit);
  if (!recorded.ok()) return recorded;
  const auto view = sources_.view.current();
  for (const auto& segment : view->segments) {
    for (const FloorRaise& one : edit.raised) {
      if (one.number == segment->facts().number) segment->raiseFloor(one.erasedThrough);
    }
  }
  publish(sources_, manifest->state(), {});
  return recorded;
}

Status PlanExecutor::merge(const PlanChoice& choice) {
  const CompactionPlan& plan = choice.plan;
  std::vector<SegmentFacts> outputs;
  if (plan.kind != CompactionKind::kDrop) {
    auto written = outputsOf(choice);
    if (!written.ok()) return written.status();
    outputs = std::move(written).value();
  }
  ManifestEdit edit;
  edit.added = outputs;
  edit.removed = plan.inputs;
  edit.classes = choice.newClasses;
  edit.retentionMark = choice.newMark;
  if (Status adopted = adoptEdit(owners_, edit); !adopted.ok()) return adopted;
  if (plan.kind != CompactionKind::kDrop) {
    unadopted_.reset();
    const auto manifest = description_.manifest.hold();
    control_.endPart(manifest->state().segments.size());
  }
  planner_.noteDone(choice, outputs);
  noteInputs(choice);
  figures_.counters.compactions.fetch_add(1, std::memory_order_relaxed);
  figures_.counters.compactionBytesIn.fetch_add(plan.bytesIn, std::memory_order_relaxed);
  figures_.counters.compactionBytesOut.fetch_add(bytesOf(outputs), std::memory_order_relaxed);
  return {};
}

// Reuses the outputs of a failed try, or merges. Later deletions mask reused outputs too, because
// they are later than `erasedThrough`. A garbage collection may have removed the files.
Result<std::vector<SegmentFacts>> PlanExecutor::outputsOf(const PlanChoice& choice) {
  control_.beginPart(choice.plan.bytesIn);
  const auto isThere = [this](const SegmentFacts& one) { return sources_.openSegment(one).ok(); };
  if (unadopted_ && unadopted_->key == keyOf(choice) &&
      std::ranges::all_of(unadopted_->outputs, isThere)) {
    return unadopted_->outputs;
  }
  dropUnadopted();
  auto merged =
      mergeSegments(settings_, description_.nextSegment, choice.plan, choice.inputs, control_);
  if (merged.ok()) unadopted_ = {keyOf(choice), merged.value()};
  return merged;
}

PlanExecutor::MergeKey PlanExecutor::keyOf(const PlanChoice& choice) {
  const CompactionPlan& plan = choice.plan;
  return {
      .kind = plan.kind,
      .form = plan.form,
      .places = plan.outputs,
      .seqMin = plan.seqMin,
      .seqMax = plan.seqMax,
      .inputs = choice.inputFacts,
      .expiredKeeps = choice.inputs.expiredKeeps,
      .newClasses = choice.newClasses,
      .newMark = choice.newMark,
  };
}

// Inputs that were damaged at the opening have no readers.
void PlanExecutor::noteInputs(const PlanChoice& choice) {
  const CompactionPlan& plan = choice.plan;
  const auto& segments = choice.inputs.segments;
  {
    const auto manifest = description_.manifest.hold();
    for (const SegmentFacts& facts : choice.inputFacts) {
      const auto opened = std::ranges::find_if(
          segments, [&facts](const auto& one) { return one->facts().number == facts.number; });
      const bool isOpened = opened != segments.end();
      gone_.note(isOpened ? *opened : nullptr, facts);
      if (!isOpened) figures_.health.report(Health::segmentTopic(segmentNameOf(facts)), "");
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

}  // namespace seriesdb
