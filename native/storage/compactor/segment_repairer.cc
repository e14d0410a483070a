#include "storage/compactor/segment_repairer.h"

#include <algorithm>
#include <utility>

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

Result<SegmentRepair> SegmentRepairer::run(std::uint64_t number, bool isLossAccepted) {
  control_.begin({});
  if (Status writable = checkWritable(description_.manifest); !writable.ok()) return writable;
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

Result<SegmentRepair> SegmentRepairer::takeCopy(const SegmentFacts& facts,
                                                const std::string& copy) {
  Status put = putBack(settings_.fs, settings_.options.directory, copy, facts);
  return put.ok() ? readAgain(facts) : put;
}

// The descriptions stay unchanged: the segment is again as they say.
Result<SegmentRepair> SegmentRepairer::readAgain(const SegmentFacts& facts) {
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
Status SegmentRepairer::exchange(const SegmentFacts& facts, const MergeInputs& inputs,
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
  if (Status adopted = adoptEdit(owners_, edit); !adopted.ok()) {
    removeOutputs(owners_, outputs);
    return adopted;
  }
  {
    const auto manifest = description_.manifest.hold();
    gone_.note(old, facts);
    const auto view = sources_.view.current();
    for (const SegmentFacts& one : outputs) {
      if (auto segment = openedIn(*view, one.number)) made.push_back(std::move(segment));
    }
  }
  figures_.health.report(Health::segmentTopic(segmentNameOf(facts)), "");
  planner_.noteRepaired(facts.number, outputs);
  reportSegmentCount(description_.manifest, settings_.options.segmentCountMax, figures_.health);
  if (old) forget_({std::move(old)}, [] {});
  return {};
}

}  // namespace seriesdb
