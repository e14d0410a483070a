// Tags: names of commits beside the head, and the segments that they keep.
#include <algorithm>

#include "common/base/clock.h"
#include "format/objects/committed_tree.h"
#include "format/objects/loose_tags.h"
#include "storage/ledger/ledger.h"

namespace seriesdb {
Status noSnapshot(const std::string& name) {
  return {StatusCode::kSnapshotNotFound, "there is no snapshot " + name};
}

bool Ledger::isPinned(const SegmentFacts& facts) const {
  return facts.hash && (isTagged(facts) || history_.keeps(*facts.hash) || isHeld(facts));
}

// Adds the objects of tagged and held commits, so that a rewritten REFS keeps them.
Status Ledger::addTagged(std::vector<Sha256>& live) const {
  std::vector<Sha256> commits = held_.commits();
  for (const auto& [ref, move] : refs_->refs()) {
    if (ref.starts_with(kTagPrefix)) commits.push_back(move.to);
  }
  for (const Sha256& commit : commits) {
    const auto tagged = loadCommit(commit, *refs_);
    if (!tagged.ok()) return tagged.status();
    const auto all = objectsOf(tagged.value().tree, commit);
    live.insert(live.end(), all.begin(), all.end());
  }
  // The commits share most of their objects.
  std::ranges::sort(live);
  live.erase(std::unique(live.begin(), live.end()), live.end());
  return {};
}

Status Ledger::packTags() {
  auto tags = readLooseTags(to_.fs, to_.directory);
  if (!tags.ok()) return tags.status();
  for (const LooseTag& tag : tags.value()) {
    RefMove move = tag.move;
    move.from = refs_->target(move.ref);
    if (Status packed = refs_->append(move, tag.objects); !packed.ok()) return packed;
    if (Status removed = to_.fs.remove(tag.path); !removed.ok()) return removed;
  }
  countTags();
  return {};
}

void Ledger::countTags() {
  const auto names = looseTagNames(to_.fs, to_.directory);
  if (names.ok()) to_.figures.looseRefs.store(names.value().size(), std::memory_order_relaxed);
  const auto isTag = [](const auto& one) { return one.first.starts_with(kTagPrefix); };
  const auto packed = std::ranges::count_if(refs_->refs(), isTag);
  to_.figures.tags.store(static_cast<std::uint64_t>(packed), std::memory_order_relaxed);
}

// Fails unless the head commit names all segments in a way that a tag can keep.
Status Ledger::checkCommitted() const {
  if (!isDual()) {
    return {StatusCode::kConfiguration, "there are no commits: cas_mode is \"off\""};
  }
  if (isRefsBehind_ || !hasHead()) {
    return {StatusCode::kStorageUnavailable, "REFS lacks the last edit: " + refsProblem_};
  }
  for (const SegmentFacts& facts : state_.segments) {
    if (facts.hash) continue;
    return {StatusCode::kConfiguration,
            segmentNameOf(facts) + " has no content hash yet: migrate the database first"};
  }
  return {};
}

Status Ledger::addTag(const std::string& name) {
  if (Status committed = checkCommitted(); !committed.ok()) return committed;
  if (Status packed = packTags(); !packed.ok()) return packed;
  const std::string ref = kTagPrefix + name;
  if (refs_->refs().contains(ref)) {
    return {StatusCode::kSnapshotExists, "snapshot " + name + " already exists"};
  }
  Status written = refs_->append({ref, Sha256{}, head_, wallMs(to_.time), CommitReason::kTag}, {});
  if (!written.ok()) return written;
  pins_.add(state_.segments);
  countTags();
  return written;
}

Result<std::vector<SegmentFacts>> Ledger::removeTag(const std::string& name) {
  if (Status packed = packTags(); !packed.ok()) return packed;
  const std::string ref = kTagPrefix + name;
  const Sha256 commit = refs_->target(ref);
  if (commit == Sha256{}) {
    return noSnapshot(name);
  }
  const auto kept = stateAt(commit, *refs_);
  const Status written =
      refs_->append({ref, commit, Sha256{}, wallMs(to_.time), CommitReason::kTag}, {});
  if (!written.ok()) return written;
  pins_.read(*refs_, to_.fs, to_.directory);
  countTags();
  std::vector<SegmentFacts> freed;
  // If the tagged state is unreadable, the next start finds its segments.
  if (!kept.ok()) return freed;
  std::unordered_set<Sha256> named;
  for (const SegmentFacts& facts : state_.segments) {
    if (facts.hash) named.insert(*facts.hash);
  }
  for (const SegmentFacts& facts : kept.value().segments) {
    if (!facts.hash || named.contains(*facts.hash)) continue;
    // The compactor removes the segments of held states when the hold ends.
    if (!isTagged(facts) && !history_.keeps(*facts.hash)) freed.push_back(facts);
  }
  return freed;
}

Result<CommittedFiles> Ledger::committedFiles() {
  if (Status committed = checkCommitted(); !committed.ok()) return committed;
  if (Status packed = packTags(); !packed.ok()) return packed;
  CommittedFiles files;
  auto refs = refs_->readable();
  if (!refs.ok()) return refs.status();
  files.refs = std::move(refs).value();
  return files;
}

}  // namespace seriesdb
