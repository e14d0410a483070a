#include "storage/compactor/publication.h"

#include <algorithm>
#include <utility>

namespace seriesdb {

bool isBefore(const SegmentFacts& a, const SegmentFacts& b) {
  return a.sequenceMax != b.sequenceMax ? a.sequenceMax < b.sequenceMax : a.number < b.number;
}

// Builds the lists before the update, so that readers and the committer do not wait.
void publish(Sources& sources, const ManifestState& recorded, SegmentChange change) {
  const std::lock_guard lock(sources.tombstoneMutex);
  const auto before = sources.view.current();
  std::vector<std::shared_ptr<const Segment>> segments = std::move(change.added);
  for (const auto& segment : before->segments) {
    const auto& gone = change.removed;
    const bool stays = std::find(gone.begin(), gone.end(), segment->facts().number) == gone.end();
    if (stays) segments.push_back(segment);
  }
  std::sort(segments.begin(), segments.end(),
            [](const auto& a, const auto& b) { return isBefore(a->facts(), b->facts()); });
  SharedList<std::shared_ptr<const Segment>> shared(std::move(segments));
  std::vector<SegmentFacts> damaged;
  for (const SegmentFacts& facts : before->damaged) {
    if (std::ranges::find(change.removed, facts.number) == change.removed.end()) {
      damaged.push_back(facts);
    }
  }
  const std::uint64_t last = before->tombstones.lastSequence();
  Tombstones left = recorded.tombstones;
  for (auto& one : before->tombstones.after(recorded.flushedSequence)) {
    left.push_back(std::move(one));
  }
  TombstoneList tombstones(std::move(left));
  sources.view.update([&](View& view) {
    if (change.isFlush) view.frozen.erase(view.frozen.begin());
    view.segments = std::move(shared);
    view.damaged = std::move(damaged);
    for (auto& one : view.tombstones.after(last)) tombstones.add(std::move(one));
    view.tombstones = std::move(tombstones);
  });
}

Status recordEdit(Health& health, const ManifestHolder::Held& manifest, ManifestEdit edit,
                  Descriptors descriptors) {
  Status recorded = manifest->apply(std::move(edit), descriptors);
  reportLedger(health, manifest);
  return recorded;
}

Status checkWritable(ManifestHolder& manifestHolder) {
  const auto manifest = manifestHolder.hold();
  return manifest->failure();
}

void reportLedger(Health& health, const ManifestHolder::Held& manifest) {
  if (const Status& failure = manifest->failure(); !failure.ok()) {
    health.failWrites("cannot write " + manifest->decidingFile() + ": " + failure.message());
  }
  health.report("ledger", manifest->behindReason());
}

}  // namespace seriesdb
