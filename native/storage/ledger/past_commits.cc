#include "storage/ledger/past_commits.h"

#include <algorithm>
#include <unordered_set>
#include <utility>

#include "common/base/clock.h"
#include "format/objects/committed_tree.h"
#include "format/objects/loose_tags.h"
#include "storage/ledger/state_entries.h"

namespace seriesdb {
namespace {

// History alone may keep one part in so many of the bytes that the head names.
constexpr std::uint64_t kHistoryPart = 10;

std::int64_t nowOf(const TimeSource& time) {
  return static_cast<std::int64_t>(time.monotonicMs());
}

// Roughly the memory of an engine with this state, without buffers of files.
std::uint64_t memoryOf(const ManifestState& state, const ObjectTree& tree, const RefsLog& refs) {
  // Bytes per series in the index, with its names as numbers, and per byte of its texts as packed
  // in REFS.
  constexpr std::uint64_t kOfSeries = 150;
  constexpr std::uint64_t kOfPackedByte = 2;
  constexpr std::uint64_t kOfTombstoneRef = 12;
  const auto leaves = tree.leaves(static_cast<std::uint8_t>(TreeSectionId::kSeries));
  const std::uint64_t series =
      std::min<std::uint64_t>(state.seriesCount, leaves.size() * kSeriesOfLeaf);
  std::uint64_t bytes = series * kOfSeries + refs.sizeOf(leaves) * kOfPackedByte +
                        refs.memoryBytes() + tree.memoryBytes();
  for (const auto& tombstone : state.tombstones) bytes += tombstone->refs.size() * kOfTombstoneRef;
  return bytes;
}

}  // namespace

Status noSnapshot(const std::string& name) {
  return {StatusCode::kSnapshotNotFound, "there is no snapshot " + name};
}

Result<Sha256> PastCommits::find(const PastState& past) const {
  if (!past.snapshot.empty()) {
    const Sha256 tagged = head_.refs->target(kTagPrefix + past.snapshot);
    if (tagged != Sha256{}) return tagged;
    if (!past.edit && !past.timeMs) {
      return Status(StatusCode::kSnapshotNotFound,
                    noSnapshot(past.snapshot).message() +
                        "; a past state is a snapshot, @ and a commit number, or a time such as "
                        "now-2h or 2024-05-01T10:00:00Z");
    }
  }
  if (head_.exists()) {
    const bool isHead = past.edit ? *past.edit == head_.commit.edit
                                  : past.timeMs && head_.commit.timeMs <= *past.timeMs;
    if (isHead) return head_.id;
    if (past.edit) {
      const PastCommit* found = history_.atEdit(*past.edit);
      if (found != nullptr) return found->id;
    } else if (const auto place = history_.placeAt(past.timeMs.value_or(0))) {
      return commitAround(*place, past.timeMs.value_or(0));
    }
  }
  return noState(past);
}

// The commit for a time between the commit at `place` and the next flush. The next flush holds
// everything up to that time, and some later samples. So it is the answer, unless a deletion came
// between. If the base commit was itself made for a deletion, that deletion is earlier than the
// time.
Sha256 PastCommits::commitAround(std::size_t place, std::int64_t timeMs) const {
  const auto& commits = history_.commits();
  const auto isFlush = [](CommitReason reason) {
    return reason == CommitReason::kFlush || reason == CommitReason::kDelete;
  };
  std::size_t base = place;
  while (base > 0 && !isFlush(commits[base].reason)) --base;
  if (commits[base].timeMs == timeMs) return commits[place].id;
  const bool isBehindDeletion = commits[base].reason == CommitReason::kDelete;
  for (std::size_t at = place; at < commits.size(); ++at) {
    const bool isLast = at + 1 == commits.size();
    if (!isFlush(isLast ? head_.commit.reason : commits[at + 1].reason)) continue;
    if (commits[at].isNextDeleting && !isBehindDeletion) break;
    return isLast ? head_.id : commits[at + 1].id;
  }
  return commits[place].id;
}

Status PastCommits::noState(const PastState& past) const {
  std::string text;
  if (!past.snapshot.empty()) text = "there is no snapshot " + past.snapshot + ", and ";
  text += past.edit ? "there is no commit @" + std::to_string(*past.edit)
                    : "there is no commit of " + timeText(past.timeMs.value_or(0)) + " or earlier";
  if (!head_.exists()) return {StatusCode::kStateNotFound, text + ": there are no commits"};
  const auto& commits = history_.commits();
  const std::uint64_t edit = commits.empty() ? head_.commit.edit : commits.front().edit;
  const std::int64_t timeMs = commits.empty() ? head_.commit.timeMs : commits.front().timeMs;
  return {StatusCode::kStateNotFound, text + ": history begins with commit @" +
                                          std::to_string(edit) + " of " + timeText(timeMs)};
}

Result<std::shared_ptr<const HeldCommit>> PastCommits::hold(const PastState& past) {
  if (Status packed = packTags(); !packed.ok()) return packed;
  const auto found = find(past);
  if (!found.ok()) return found.status();
  const auto loaded = loadCommit(found.value(), *head_.refs);
  if (!loaded.ok()) return loaded.status();
  const auto state = stateIn(loaded.value().tree, *head_.refs);
  if (!state.ok()) return state.status();
  auto held = std::make_shared<HeldCommit>();
  held->commit = found.value();
  for (const SegmentFacts& facts : state.value().segments) {
    if (facts.hash) held->segments.insert(*facts.hash);
  }
  held->memoryBytes = memoryOf(state.value(), loaded.value().tree, *head_.refs);
  held_.add(held);
  return std::shared_ptr<const HeldCommit>(std::move(held));
}

void PastCommits::readHistory() {
  const HistorySource from{*head_.refs, to_.fs, to_.directory};
  history_.replace(seriesdb::readHistory(from, {head_.commit, head_.tree}, {0, 0, std::nullopt}));
}

void PastCommits::openHistory(const ManifestState& state) {
  isUnread_ = false;
  if (!to_.isDual() || !head_.exists()) return history_.clear();
  auto head = loadCommit(head_.id, *head_.refs);
  if (!head.ok()) return history_.clear();
  const HistorySource from{*head_.refs, to_.fs, to_.directory};
  history_.replace(seriesdb::readHistory(from, std::move(head).value(),
                               {wallMs(to_.time), nowOf(to_.time), to_.historyKeepMs.load()}));
  limitHistory(state);
}

void PastCommits::noteStep(const ObjectTree::Change& change, const ManifestState& before,
                           const ManifestState& next) {
  PastCommit past;
  past.id = head_.id;
  past.edit = head_.commit.edit;
  past.timeMs = head_.commit.timeMs;
  past.reason = head_.commit.reason;
  past.replacedMs = nowOf(to_.time);
  past.segmentCount = before.segments.size();
  // Both lists ascend by number.
  auto after = next.segments.begin();
  for (const SegmentFacts& facts : before.segments) {
    // The file of a segment without a hash may be renamed or removed, so history cannot keep it.
    if (!facts.hash) return history_.clear();
    past.segmentBytes += facts.fileSize;
    while (after != next.segments.end() && after->number < facts.number) ++after;
    const bool stays = after != next.segments.end() && after->number == facts.number;
    if (!stays) past.segments.push_back(facts);
  }
  past.objects.push_back(head_.id);
  if (change.root != head_.tree.root()) past.objects.push_back(head_.tree.root());
  for (const ObjectTree::Replaced& one : head_.tree.replacedBy(change)) {
    if (one.before) past.objects.push_back(*one.before);
    past.isNextDeleting |=
        one.place.section == static_cast<std::uint8_t>(TreeSectionId::kTombstones);
  }
  past.objectBytes = head_.refs->sizeOf(past.objects);
  history_.add(std::move(past));
}

void PastCommits::limitHistory(const ManifestState& state) {
  std::uint64_t live = 0;
  for (const SegmentFacts& facts : state.segments) live += facts.fileSize;
  history_.expire(nowOf(to_.time), to_.isDual() ? to_.historyKeepMs.load() : 0);
  const auto isKept = [this](const SegmentFacts& facts) { return isTagged(facts); };
  history_.limit(std::max(to_.historyBytesMin, live / kHistoryPart), isKept);
  noteHistory();
}

void PastCommits::noteHistory() {
  const auto isKept = [this](const SegmentFacts& facts) { return isTagged(facts); };
  const auto& commits = history_.commits();
  to_.figures.historyCommits.store(commits.size(), std::memory_order_relaxed);
  to_.figures.historyBytes.store(history_.bytes(isKept), std::memory_order_relaxed);
  to_.figures.historyOldestMs.store(commits.empty() ? 0 : commits.front().timeMs,
                                    std::memory_order_relaxed);
}

std::vector<SegmentFacts> PastCommits::trimHistory(const ManifestState& state, bool isAll) {
  if (isAll) history_.clear();
  limitHistory(state);
  std::vector<SegmentFacts> released = history_.takeReleased();
  if (released.empty()) return released;
  std::unordered_set<Sha256> named;
  for (const SegmentFacts& facts : state.segments) {
    if (facts.hash) named.insert(*facts.hash);
  }
  std::erase_if(released, [&](const SegmentFacts& facts) {
    return isTagged(facts) || named.contains(*facts.hash) || history_.keeps(*facts.hash);
  });
  return released;
}

std::uint64_t PastCommits::historyDueMs() const {
  if (history_.commits().empty()) return 0;
  const std::int64_t age = nowOf(to_.time) - history_.commits().front().replacedMs;
  const std::uint64_t keepMs = to_.historyKeepMs.load();
  const auto passed = static_cast<std::uint64_t>(std::max<std::int64_t>(age, 0));
  return passed < keepMs ? keepMs - passed : 1;
}

void PastCommits::addPast(std::vector<Sha256>& live) const {
  history_.addObjects(live);
  const auto last = loadCommit(head_.id, *head_.refs);
  if (!last.ok()) return;
  const std::vector<Sha256> all = objectsOf(last.value().tree, head_.id);
  live.insert(live.end(), all.begin(), all.end());
}

bool PastCommits::isPinned(const SegmentFacts& facts) const {
  return facts.hash && (isTagged(facts) || history_.keeps(*facts.hash) || isHeld(facts));
}

Status PastCommits::addTagged(std::vector<Sha256>& live) const {
  std::vector<Sha256> commits = held_.commits();
  for (const auto& [ref, move] : head_.refs->refs()) {
    if (ref.starts_with(kTagPrefix)) commits.push_back(move.to);
  }
  for (const Sha256& commit : commits) {
    const auto tagged = loadCommit(commit, *head_.refs);
    if (!tagged.ok()) return tagged.status();
    const auto all = objectsOf(tagged.value().tree, commit);
    live.insert(live.end(), all.begin(), all.end());
  }
  // The commits share most of their objects.
  std::ranges::sort(live);
  live.erase(std::unique(live.begin(), live.end()), live.end());
  return {};
}

Status PastCommits::packTags() {
  auto tags = readLooseTags(to_.fs, to_.directory);
  if (!tags.ok()) return tags.status();
  for (const LooseTag& tag : tags.value()) {
    RefMove move = tag.move;
    move.from = head_.refs->target(move.ref);
    if (Status packed = head_.refs->append(move, tag.objects); !packed.ok()) return packed;
    if (Status removed = to_.fs.remove(tag.path); !removed.ok()) return removed;
  }
  countTags();
  return {};
}

void PastCommits::countTags() {
  const auto names = looseTagNames(to_.fs, to_.directory);
  if (names.ok()) to_.figures.looseRefs.store(names.value().size(), std::memory_order_relaxed);
  const auto isTag = [](const auto& one) { return one.first.starts_with(kTagPrefix); };
  const auto packed = std::ranges::count_if(head_.refs->refs(), isTag);
  to_.figures.tags.store(static_cast<std::uint64_t>(packed), std::memory_order_relaxed);
}

// Fails unless the head commit names all segments in a way that a tag can keep.
Status PastCommits::checkCommitted(const ManifestState& state) const {
  if (!to_.isDual()) {
    return {StatusCode::kConfiguration, "there are no commits: cas_mode is \"off\""};
  }
  if (head_.isBehind || !head_.exists()) {
    return {StatusCode::kStorageUnavailable, "REFS lacks the last edit: " + head_.problem};
  }
  for (const SegmentFacts& facts : state.segments) {
    if (facts.hash) continue;
    return {StatusCode::kConfiguration,
            segmentNameOf(facts) + " has no content hash yet: migrate the database first"};
  }
  return {};
}

Status PastCommits::addTag(const ManifestState& state, const std::string& name) {
  if (Status committed = checkCommitted(state); !committed.ok()) return committed;
  if (Status packed = packTags(); !packed.ok()) return packed;
  const std::string ref = kTagPrefix + name;
  if (head_.refs->refs().contains(ref)) {
    return {StatusCode::kSnapshotExists, "snapshot " + name + " already exists"};
  }
  const RefMove move{ref, Sha256{}, head_.id, wallMs(to_.time), CommitReason::kTag};
  Status written = head_.refs->append(move, {});
  if (!written.ok()) return written;
  pins_.add(state.segments);
  countTags();
  return written;
}

Result<std::vector<SegmentFacts>> PastCommits::removeTag(const ManifestState& state,
                                                        const std::string& name) {
  if (Status packed = packTags(); !packed.ok()) return packed;
  const std::string ref = kTagPrefix + name;
  const Sha256 commit = head_.refs->target(ref);
  if (commit == Sha256{}) {
    return noSnapshot(name);
  }
  const auto kept = stateAt(commit, *head_.refs);
  const Status written =
      head_.refs->append({ref, commit, Sha256{}, wallMs(to_.time), CommitReason::kTag}, {});
  if (!written.ok()) return written;
  pins_.read(*head_.refs, to_.fs, to_.directory);
  countTags();
  std::vector<SegmentFacts> freed;
  // If the tagged state is unreadable, the next start finds its segments.
  if (!kept.ok()) return freed;
  std::unordered_set<Sha256> named;
  for (const SegmentFacts& facts : state.segments) {
    if (facts.hash) named.insert(*facts.hash);
  }
  for (const SegmentFacts& facts : kept.value().segments) {
    if (!facts.hash || named.contains(*facts.hash)) continue;
    // The compactor removes the segments of held states when the hold ends.
    if (!isTagged(facts) && !history_.keeps(*facts.hash)) freed.push_back(facts);
  }
  return freed;
}

Result<CommittedFiles> PastCommits::committedFiles(const ManifestState& state) {
  if (Status committed = checkCommitted(state); !committed.ok()) return committed;
  if (Status packed = packTags(); !packed.ok()) return packed;
  CommittedFiles files;
  auto refs = head_.refs->readable();
  if (!refs.ok()) return refs.status();
  files.refs = std::move(refs).value();
  return files;
}

}  // namespace seriesdb
