// Past commits: what they keep, and how the ledger finds one.
#include <algorithm>
#include <utility>

#include "storage/ledger/ledger.h"
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

// The commit to open: the head, or the one that `past` asks for.
Result<Sha256> Ledger::chooseCommit() {
  if (to_.held) return to_.held->commit;
  const Sha256 head = refs_->target(kHeadRef);
  if (!to_.past.isAny()) return head;
  const bool isOfHistory = to_.past.edit || to_.past.timeMs;
  if (isOfHistory && head != Sha256{}) {
    head_ = head;
    if (Status loaded = loadHead(head); !loaded.ok()) return loaded;
    const HistorySource from{*refs_, to_.fs, to_.directory};
    history_.replace(readHistory(from, {headCommit_, tree_}, {0, 0, std::nullopt}));
  }
  return find(to_.past);
}

Result<Sha256> Ledger::find(const PastState& past) const {
  if (!past.snapshot.empty()) {
    const Sha256 tagged = refs_->target(kTagPrefix + past.snapshot);
    if (tagged != Sha256{}) return tagged;
    if (!past.edit && !past.timeMs) {
      return Status(StatusCode::kSnapshotNotFound,
                    noSnapshot(past.snapshot).message() +
                        "; a past state is a snapshot, @ and a commit number, or a time such as "
                        "now-2h or 2024-05-01T10:00:00Z");
    }
  }
  if (hasHead()) {
    const bool isHead = past.edit ? *past.edit == headCommit_.edit
                                  : past.timeMs && headCommit_.timeMs <= *past.timeMs;
    if (isHead) return head_;
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
Sha256 Ledger::commitAround(std::size_t place, std::int64_t timeMs) const {
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
    if (!isFlush(isLast ? headCommit_.reason : commits[at + 1].reason)) continue;
    if (commits[at].isNextDeleting && !isBehindDeletion) break;
    return isLast ? head_ : commits[at + 1].id;
  }
  return commits[place].id;
}

Status Ledger::noState(const PastState& past) const {
  std::string text;
  if (!past.snapshot.empty()) text = "there is no snapshot " + past.snapshot + ", and ";
  text += past.edit ? "there is no commit @" + std::to_string(*past.edit)
                    : "there is no commit of " + timeText(past.timeMs.value_or(0)) + " or earlier";
  if (!hasHead()) return {StatusCode::kStateNotFound, text + ": there are no commits"};
  const auto& commits = history_.commits();
  const std::uint64_t edit = commits.empty() ? headCommit_.edit : commits.front().edit;
  const std::int64_t timeMs = commits.empty() ? headCommit_.timeMs : commits.front().timeMs;
  return {StatusCode::kStateNotFound, text + ": history begins with commit @" +
                                          std::to_string(edit) + " of " + timeText(timeMs)};
}

// Reads history from REFS if the edits since the last commit are unknown.
void Ledger::openHistory() {
  isHistoryUnread_ = false;
  if (!isDual() || !hasHead()) return history_.clear();
  auto head = loadCommit(head_, *refs_);
  if (!head.ok()) return history_.clear();
  const HistorySource from{*refs_, to_.fs, to_.directory};
  history_.replace(readHistory(from, std::move(head).value(),
                               {wallMs(to_.time), nowOf(to_.time), to_.historyKeepMs.load()}));
  limitHistory();
}

// REQUIRES: `change` applies to the tree of the head.
void Ledger::noteStep(const ObjectTree::Change& change, const ManifestState& next) {
  PastCommit past;
  past.id = head_;
  past.edit = headCommit_.edit;
  past.timeMs = headCommit_.timeMs;
  past.reason = headCommit_.reason;
  past.replacedMs = nowOf(to_.time);
  past.segmentCount = state_.segments.size();
  // Both lists ascend by number.
  auto after = next.segments.begin();
  for (const SegmentFacts& facts : state_.segments) {
    // The file of a segment without a hash may be renamed or removed, so history cannot keep it.
    if (!facts.hash) return history_.clear();
    past.segmentBytes += facts.fileSize;
    while (after != next.segments.end() && after->number < facts.number) ++after;
    const bool stays = after != next.segments.end() && after->number == facts.number;
    if (!stays) past.segments.push_back(facts);
  }
  past.objects.push_back(head_);
  if (change.root != tree_.root()) past.objects.push_back(tree_.root());
  for (const ObjectTree::Replaced& one : tree_.replacedBy(change)) {
    if (one.before) past.objects.push_back(*one.before);
    past.isNextDeleting |=
        one.place.section == static_cast<std::uint8_t>(TreeSectionId::kTombstones);
  }
  past.objectBytes = refs_->sizeOf(past.objects);
  history_.add(std::move(past));
}

void Ledger::limitHistory() {
  std::uint64_t live = 0;
  for (const SegmentFacts& facts : state_.segments) live += facts.fileSize;
  history_.expire(nowOf(to_.time), isDual() ? to_.historyKeepMs.load() : 0);
  const auto isKept = [this](const SegmentFacts& facts) { return isTagged(facts); };
  history_.limit(std::max(to_.historyBytesMin, live / kHistoryPart), isKept);
  noteHistory();
}

void Ledger::noteHistory() {
  const auto isKept = [this](const SegmentFacts& facts) { return isTagged(facts); };
  const auto& commits = history_.commits();
  to_.figures.historyCommits.store(commits.size(), std::memory_order_relaxed);
  to_.figures.historyBytes.store(history_.bytes(isKept), std::memory_order_relaxed);
  to_.figures.historyOldestMs.store(commits.empty() ? 0 : commits.front().timeMs,
                                    std::memory_order_relaxed);
}

std::vector<SegmentFacts> Ledger::trimHistory(bool isAll) {
  if (isAll) history_.clear();
  limitHistory();
  std::vector<SegmentFacts> released = history_.takeReleased();
  if (released.empty()) return released;
  std::unordered_set<Sha256> named;
  for (const SegmentFacts& facts : state_.segments) {
    if (facts.hash) named.insert(*facts.hash);
  }
  std::erase_if(released, [&](const SegmentFacts& facts) {
    return isTagged(facts) || named.contains(*facts.hash) || history_.keeps(*facts.hash);
  });
  return released;
}

std::uint64_t Ledger::historyDueMs() const {
  if (history_.commits().empty()) return 0;
  const std::int64_t age = nowOf(to_.time) - history_.commits().front().replacedMs;
  const std::uint64_t keepMs = to_.historyKeepMs.load();
  const auto passed = static_cast<std::uint64_t>(std::max<std::int64_t>(age, 0));
  return passed < keepMs ? keepMs - passed : 1;
}

Result<std::shared_ptr<const HeldCommit>> Ledger::hold(const PastState& past) {
  if (Status packed = packTags(); !packed.ok()) return packed;
  const auto found = find(past);
  if (!found.ok()) return found.status();
  const auto loaded = loadCommit(found.value(), *refs_);
  if (!loaded.ok()) return loaded.status();
  const auto state = stateIn(loaded.value().tree, *refs_);
  if (!state.ok()) return state.status();
  auto held = std::make_shared<HeldCommit>();
  held->commit = found.value();
  for (const SegmentFacts& facts : state.value().segments) {
    if (facts.hash) held->segments.insert(*facts.hash);
  }
  held->memoryBytes = memoryOf(state.value(), loaded.value().tree, *refs_);
  held_.add(held);
  return std::shared_ptr<const HeldCommit>(std::move(held));
}

}  // namespace seriesdb
