// Replaces a damaged segment by a whole copy or by its readable samples. Runs on the compactor's
// thread, so that no merge removes files meanwhile.
#include <algorithm>
#include <utility>

#include "storage/compactor/compactor.h"
#include "storage/compactor/publication.h"
#include "storage/compactor/segments/level_zero.h"
#include "storage/ledger/set_aside.h"

namespace seriesdb {
namespace {

// A rewrite in place, as for deletions.
CompactionPlan planFor(const SegmentFacts& facts) {
  CompactionPlan plan;
  plan.kind = CompactionKind::kPurge;
  plan.inputs = {facts.number};
  plan.seqMin = facts.sequenceMin;
  plan.seqMax = facts.sequenceMax;
  plan.bytesIn = facts.fileSize;
  plan.form = CompactionForm::kLevelZero;
  if (facts.place) {
    plan.form = facts.isFinal ? CompactionForm::kFinal : CompactionForm::kTier;
    const PartitionPlace& place = *facts.place;
    plan.outputs = {{place.classNumber, place.width, place.slot, place.slot}};
  }
  return plan;
}

std::shared_ptr<const Segment> openedIn(const View& view, std::uint64_t number) {
  for (const auto& segment : view.segments) {
    if (segment->facts().number == number) return segment;
  }
  return nullptr;
}

}  // namespace

void Compactor::repairSegment(std::uint64_t number, bool isLossAccepted, Repaired done) {
  const auto task = [this, number, isLossAccepted, done = std::move(done)](const Status& isOpen) {
    done(isOpen.ok() ? repairNow(number, isLossAccepted) : Result<SegmentRepair>(isOpen));
    removeGone();
  };
  ask({{}, false, std::make_shared<TaskWatch>(), task});
}

Result<SegmentRepair> Compactor::repairNow(std::uint64_t number, bool isLossAccepted) {
  control_.begin({});
  if (Status writable = checkWritable(); !writable.ok()) return writable;
  SegmentFacts facts;
  MergeInputs inputs;
  {
    const auto manifest = description_.manifest.hold();
    const auto& all = manifest->state().segments;
    const auto named = std::ranges::find(all, number, &SegmentFacts::number);
    if (named == all.end()) return SegmentRepair{};
    facts = *named;
    inputs.erasedThrough = manifest->state().flushedSequence;
    for (const auto& one : manifest->state().tombstones) {
      if (isMasked(facts, *one)) inputs.tombstones.push_back(one);
    }
  }
  const std::function<bool()> isOver = [this] { return control_.isOver(); };
  auto salvage = salvageSegment(settings_.fs, settings_.options.directory, facts, isOver);
  if (!salvage.ok()) return salvage.status();
  const bool isHashed = isWholeInPlace(settings_.fs, settings_.options.directory, facts, isOver);
  if (salvage.value().isWhole && (isHashed || !facts.hash)) return readAgain(facts);
  // If the hash matches, the damage came before the hash, and a copy has it, too.
  if (!isHashed) {
    const auto copy = findWholeCopy(settings_.fs, settings_.options.directory, facts);
    if (!copy.ok()) return copy.status();
    if (copy.value()) return takeCopy(facts, *copy.value());
  }
  SegmentRepair repair{SegmentOutcome::kLeft, salvage.value().loss, {}};
  if (repair.loss.samples > 0 && !isLossAccepted) return repair;
  auto& readable = salvage.value().readable;
  if (readable) inputs.segments.push_back(std::move(readable));
  repair.outcome = inputs.segments.empty() ? SegmentOutcome::kDropped : SegmentOutcome::kRewritten;
  Status exchanged = exchange(facts, inputs, repair.readable);
  if (!exchanged.ok()) return exchanged;
  return repair;
}

Result<SegmentRepair> Compactor::takeCopy(const SegmentFacts& facts, const std::string& copy) {
  Status put = putBack(settings_.fs, settings_.options.directory, copy, facts);
  return put.ok() ? readAgain(facts) : put;
}

// The descriptions stay unchanged: the segment is again as they say.
Result<SegmentRepair> Compactor::readAgain(const SegmentFacts& facts) {
  auto segment = sources_.openSegment(facts);
  if (!segment.ok()) return segment.status();
  SegmentChange change;
  change.added.push_back(std::move(segment).value());
  change.removed = {facts.number};
  SegmentRepair repair{SegmentOutcome::kPutBack, {}, {change.added.front()}};
  const auto manifest = description_.manifest.hold();
  publish(sources_, manifest->state(), std::move(change));
  figures_.health.report(Health::segmentTopic(segmentNameOf(facts)), "");
  return repair;
}

// The file gets its name in quarantine before the edit, so that a crash cannot lose it.
Status Compactor::exchange(const SegmentFacts& facts, const MergeInputs& inputs,
                           std::vector<std::shared_ptr<const Segment>>& made) {
  const auto aside = keepAside(settings_.fs, settings_.options.directory, segmentFileOf(facts));
  if (!aside.ok()) return aside.status();
  std::vector<SegmentFacts> outputs;
  if (!inputs.segments.empty()) {
    auto merged =
        mergeSegments(settings_, description_.nextSegment, planFor(facts), inputs, control_);
    if (!merged.ok()) return merged.status();
    outputs = std::move(merged).value();
  }
  ManifestEdit edit;
  edit.added = outputs;
  edit.removed = {facts.number};
  std::shared_ptr<const Segment> old;
  {
    const auto view = sources_.view.current();
    old = openedIn(*view, facts.number);
  }
  if (Status adopted = adopt(edit); !adopted.ok()) {
    removeOutputs(outputs);
    return adopted;
  }
  {
    const auto manifest = description_.manifest.hold();
    noteGone(old, facts);
    const auto view = sources_.view.current();
    for (const SegmentFacts& one : outputs) {
      if (auto segment = openedIn(*view, one.number)) made.push_back(std::move(segment));
    }
  }
  figures_.health.report(Health::segmentTopic(segmentNameOf(facts)), "");
  survey_.noteMerge({facts.number}, outputs, false);
  reportSegmentCount(description_.manifest, settings_.options.segmentCountMax, figures_.health);
  if (old) forget_({std::move(old)}, [] {});
  return {};
}

}  // namespace seriesdb
