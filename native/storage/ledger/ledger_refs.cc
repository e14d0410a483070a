// What the ledger writes to REFS: commits, and all of it anew.
#include <algorithm>
#include <utility>

#include "common/base/clock.h"
#include "format/objects/commit.h"
#include "storage/ledger/ledger.h"

namespace seriesdb {
namespace {

// REFS below this size is never rewritten; above, when it is this many times what lives in it.
constexpr std::uint64_t kRefsRewriteSizeMin = std::uint64_t{64} << 10;
constexpr std::uint64_t kRefsRewriteFactor = 8;
// A start reads all of it into memory, so that of much that lives no such part may be waste.
constexpr std::uint64_t kRefsWasteMax = std::uint64_t{64} << 20;

}  // namespace

Ledger::Ledger(Surroundings surroundings)
    : to_(std::move(surroundings)), rewriteSizeMin_(kRefsRewriteSizeMin) {}

// What no commit goes on from any more, so that MANIFEST is the truth in every mode.
Status Ledger::dropHead() {
  const RefMove move{kHeadRef, head_, Sha256{}, wallMs(to_.time), CommitReason::kRepair};
  Status written = refs_->failure();
  if (written.ok()) {
    written = refs_->append(move, {});
  } else {
    std::vector<Sha256> tagged;
    written = addTagged(tagged);
    if (written.ok()) written = refs_->replace(move, {}, tagged);
  }
  if (!written.ok()) return written;
  head_ = Sha256{};
  hasHead_ = false;
  history_.clear();
  isRefsBehind_ = false;
  to_.figures.walNamedTo = 0;
  to_.figures.walNamedFrom = 0;
  return {};
}

// REFS that can be appended to no more is written whole, unless it decides: then what it holds is
// not known until a restart has read it.
Status Ledger::writeCommit(const ObjectTree::Change& change, const ManifestState& next,
                           CommitReason reason) {
  Commit commit;
  commit.root = change.root;
  if (head_ != Sha256{}) commit.parent = head_;
  commit.edit = next.editNumber;
  commit.timeMs = editTimeMs_ != 0 ? editTimeMs_ : wallMs(to_.time);
  commit.reason = reason;
  commit.walFloor = next.walFloor;
  commit.walEnd = std::max(next.walFloor, to_.walNumber.load(std::memory_order_relaxed));
  ByteBuffer bytes;
  appendCommit(bytes, commit);
  NewObjects objects{makeObject(std::move(bytes))};
  const Sha256 id = objects.front().id;
  for (const auto& [unsaved, content] : unsaved_) objects.push_back({unsaved, content});
  objects.insert(objects.end(), change.objects.begin(), change.objects.end());
  const RefMove move{kHeadRef, head_, id, commit.timeMs, reason};

  const std::uint64_t begin = monotonicNanos();
  Status written = refs_->failure();
  const bool isDue = written.ok() && isRefsUnreadable_;
  if (isDue || (!written.ok() && !isRefsDeciding())) {
    ObjectTree after = tree_;
    after.adopt(change);
    std::vector<Sha256> live = objectsOf(after, id);
    if (isDue) {
      // What only they need may be the part that cannot be read.
      history_.clear();
    } else {
      addPast(live);
    }
    written = addTagged(live);
    if (written.ok()) written = refs_->replace(move, objects, live);
    isRefsUnreadable_ = isRefsUnreadable_ && !written.ok();
    // Perhaps the old file cannot be read.
    if (!written.ok() && !isDue) {
      isTreeLost_ = true;
      history_.clear();
    }
    if (!written.ok() && isDue && refs_->failure().ok()) written = refs_->append(move, objects);
  } else if (written.ok()) {
    written = refs_->append(move, objects);
  }
  LedgerFigures& figures = to_.figures;
  figures.syncNanos.fetch_add(monotonicNanos() - begin, std::memory_order_relaxed);
  (written.ok() ? figures.syncs : figures.syncFailed).fetch_add(1, std::memory_order_relaxed);
  if (!written.ok()) return written;
  unsaved_.clear();
  const bool isStep = hasHead_ && !isRefsBehind_ && !isDue;
  if (isStep) noteStep(change, next);
  head_ = id;
  headCommit_ = commit;
  hasHead_ = true;
  if (!isStep) isHistoryUnread_ = true;
  figures.walNamedFrom = commit.walFloor;
  figures.walNamedTo = commit.walEnd;
  return {};
}

// What history needs, of which the head is about to be a part.
void Ledger::addPast(std::vector<Sha256>& live) const {
  history_.addObjects(live);
  const auto last = loadCommit(head_, *refs_);
  if (!last.ok()) return;
  const std::vector<Sha256> all = objectsOf(last.value().tree, head_);
  live.insert(live.end(), all.begin(), all.end());
}

// Of a commit.
std::vector<Sha256> Ledger::objectsOf(const ObjectTree& tree, const Sha256& commit) {
  std::vector<Sha256> all = tree.objects();
  all.push_back(commit);
  return all;
}

// Looked at again when the file has grown as far as what lives in it allows.
void Ledger::rewriteWhenLarge() {
  if (isRefsBehind_ || isAllPinned_ || refs_->size() < rewriteSizeMin_) return;
  const auto all = liveObjects();
  if (!all.ok()) return;
  const std::vector<Sha256>& live = all.value();
  const std::uint64_t size = refs_->sizeOf(live);
  const std::uint64_t most = std::min(kRefsRewriteFactor * size, size + kRefsWasteMax);
  rewriteSizeMin_ = std::max(kRefsRewriteSizeMin, most);
  if (refs_->size() < rewriteSizeMin_) return;
  const RefMove last = refs_->refs().at(kHeadRef);
  // The commit is durable also when this fails: that is the next one's failure.
  if (refs_->replace(last, {}, live).ok()) return;
  rewriteSizeMin_ = refs_->size() * 2;
  // It may be what cannot be read.
  history_.clear();
}

// Whether all that lives in REFS is known: then the rest of it may go.
bool Ledger::isWholeKnown() const {
  return isDual() && hasHead_ && !isRefsBehind_ && !isAllPinned_ && !isTreeLost_;
}

std::uint64_t Ledger::refsWaste() const {
  if (!isWholeKnown()) return 0;
  const auto live = liveObjects();
  if (!live.ok()) return 0;
  const std::uint64_t size = refs_->sizeOf(live.value());
  return refs_->size() > size ? refs_->size() - size : 0;
}

Result<std::uint64_t> Ledger::shortenRefs() {
  if (!isWholeKnown()) return std::uint64_t{0};
  const auto live = liveObjects();
  if (!live.ok()) return live.status();
  const std::uint64_t before = refs_->size();
  const RefMove last = refs_->refs().at(kHeadRef);
  if (Status done = refs_->replace(last, {}, live.value()); !done.ok()) return done;
  rewriteSizeMin_ = kRefsRewriteSizeMin;
  return before > refs_->size() ? before - refs_->size() : 0;
}

Result<std::vector<Sha256>> Ledger::liveObjects() const {
  std::vector<Sha256> live = objectsOf(tree_, head_);
  history_.addObjects(live);
  Status added = addTagged(live);
  if (!added.ok()) return added;
  return live;
}

}  // namespace seriesdb
