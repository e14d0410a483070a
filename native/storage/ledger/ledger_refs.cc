// How the ledger writes commits to REFS, and rewrites REFS.
#include <algorithm>
#include <utility>

#include "common/base/clock.h"
#include "format/objects/commit.h"
#include "storage/ledger/ledger.h"

namespace seriesdb {
namespace {

// REFS below this size is never rewritten. Above it, REFS is rewritten when it is
// kRefsRewriteFactor times as large as its live objects.
constexpr std::uint64_t kRefsRewriteSizeMin = std::uint64_t{64} << 10;
constexpr std::uint64_t kRefsRewriteFactor = 8;
// A start reads all of REFS into memory, so large databases limit dead bytes to this.
constexpr std::uint64_t kRefsWasteMax = std::uint64_t{64} << 20;

}  // namespace

Ledger::Ledger(Surroundings surroundings)
    : to_(std::move(surroundings)), rewriteSizeMin_(kRefsRewriteSizeMin) {}

// Drops the head, because no later commit continues it. MANIFEST then decides in every mode.
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
  history_.clear();
  isRefsBehind_ = false;
  to_.figures.walNamedTo = 0;
  to_.figures.walNamedFrom = 0;
  return {};
}

// If appends to REFS failed for good, rewrites it whole. If REFS decides, only a restart can do so:
// the content of the file is unknown until then.
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
      // The unreadable part may belong to history alone.
      history_.clear();
    } else {
      addPast(live);
    }
    written = addTagged(live);
    if (written.ok()) written = refs_->replace(move, objects, live);
    isRefsUnreadable_ = isRefsUnreadable_ && !written.ok();
    // The old file may be unreadable.
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
  const bool isStep = hasHead() && !isRefsBehind_ && !isDue;
  if (isStep) noteStep(change, next);
  head_ = id;
  headCommit_ = commit;
  if (!isStep) isHistoryUnread_ = true;
  figures.walNamedFrom = commit.walFloor;
  figures.walNamedTo = commit.walEnd;
  return {};
}

// Adds the objects that history needs, including those of the current head, which the next commit
// replaces.
void Ledger::addPast(std::vector<Sha256>& live) const {
  history_.addObjects(live);
  const auto last = loadCommit(head_, *refs_);
  if (!last.ok()) return;
  const std::vector<Sha256> all = objectsOf(last.value().tree, head_);
  live.insert(live.end(), all.begin(), all.end());
}

// All objects of a commit.
std::vector<Sha256> Ledger::objectsOf(const ObjectTree& tree, const Sha256& commit) {
  std::vector<Sha256> all = tree.objects();
  all.push_back(commit);
  return all;
}

// Rewrites REFS if it is too large for its live objects. The limit grows with these.
void Ledger::rewriteWhenLarge() {
  if (isRefsBehind_ || pins_.areAll() || refs_->size() < rewriteSizeMin_) return;
  const auto all = liveObjects();
  if (!all.ok()) return;
  const std::vector<Sha256>& live = all.value();
  const std::uint64_t size = refs_->sizeOf(live);
  const std::uint64_t most = std::min(kRefsRewriteFactor * size, size + kRefsWasteMax);
  rewriteSizeMin_ = std::max(kRefsRewriteSizeMin, most);
  if (refs_->size() < rewriteSizeMin_) return;
  const RefMove last = refs_->refs().at(kHeadRef);
  // The commit is durable even if the rewrite fails; the next commit reports that failure.
  if (refs_->replace(last, {}, live).ok()) return;
  rewriteSizeMin_ = refs_->size() * 2;
  // History may be the unreadable part.
  history_.clear();
}

// True if all live objects of REFS are known, so that the rest may be removed.
bool Ledger::isWholeKnown() const {
  return isDual() && hasHead() && !isRefsBehind_ && !pins_.areAll() && !isTreeLost_;
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
