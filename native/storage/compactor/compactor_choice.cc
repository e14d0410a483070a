// How the compactor chooses its next plan, and checks that it can run.
#include <algorithm>

#include "storage/compaction/choose.h"
#include "storage/compactor/compaction_clock.h"
#include "storage/compactor/compactor.h"
#include "storage/compactor/publication.h"
#include "storage/compactor/segment_bytes.h"

namespace seriesdb {
namespace {

constexpr const char* kRoomTopic = "room_for_compaction";

}  // namespace

// Estimates the bytes left to read. R1 reads a flushed segment, then a close reads its partitions;
// other segments are only closed. Deletions and late samples may rewrite finals, too.
void Compactor::tellWhatIsLeft(std::uint64_t through) {
  const auto manifest = description_.manifest.hold();
  std::uint64_t bytes = 0;
  for (const SegmentFacts& one : manifest->state().segments) {
    if (one.isFinal || one.sequenceMax > through) continue;
    bytes += one.place ? one.fileSize : 2 * one.fileSize;
  }
  control_.look(manifest->state().segments.size(), bytes);
}

void Compactor::sayRoom(std::uint64_t missing) {
  figures_.counters.compactionWithoutRoom.store(missing, std::memory_order_relaxed);
  std::string reason;
  if (missing > 0) {
    reason = "the disk has no room for a merge of segments that may write " +
             std::to_string(missing) + " bytes; they stay as they are until it has";
  }
  figures_.health.report(kRoomTopic, reason);
}

bool Compactor::isAskedNow() {
  const std::lock_guard lock(mutex_);
  return !asked_.empty();
}

std::size_t Compactor::damagedCount() const {
  const auto view = sources_.view.current();
  return static_cast<std::size_t>(
      std::count_if(view->segments.begin(), view->segments.end(),
                    [](const auto& segment) { return !segment->damageMet().empty(); }));
}

Status Compactor::moveRetention() {
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

// If MANIFEST cannot be written, a merge is useless.
Status Compactor::checkWritable() {
  const auto manifest = description_.manifest.hold();
  return manifest->failure();
}

// If `isFull`, segments flushed after `through` are ignored, so that the request ends.
Compactor::Choice Compactor::choose(bool isFull, std::uint64_t through) {
  Choice choice;
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
  // These files are adopted or removed.
  if (unadopted_) seen.freeBytes += bytesOf(unadopted_->outputs);
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

}  // namespace seriesdb
