// How an edit is written. What is done at the start is in ledger_open.cc.
#include "ledger/ledger.h"

#include <algorithm>

#include "base/clock.h"
#include "manifest/manifest_edit.h"
#include "model/file_names.h"
#include "objects/commit.h"

namespace seriesdb {
namespace {

// REFS below this size is never rewritten; above, when it is this many times what lives in it.
constexpr std::uint64_t kRefsRewriteSizeMin = std::uint64_t{64} << 10;
constexpr std::uint64_t kRefsRewriteFactor = 8;
// A start reads all of it into memory, so that of much that lives no such part may be waste.
constexpr std::uint64_t kRefsWasteMax = std::uint64_t{64} << 20;

CommitReason reasonOf(const ManifestEdit& edit) {
  if (edit.flushedSequence != 0) return CommitReason::kFlush;
  if (!edit.hashed.empty()) return CommitReason::kMigrate;
  if (!edit.added.empty() || !edit.removed.empty() || !edit.raised.empty()) {
    return CommitReason::kCompact;
  }
  if (edit.retentionClock) return CommitReason::kRetention;
  return edit.tombstones.empty() ? CommitReason::kRepair : CommitReason::kDelete;
}

}  // namespace

Ledger::Ledger(Surroundings surroundings)
    : to_(std::move(surroundings)), rewriteSizeMin_(kRefsRewriteSizeMin) {}

Result<ByteBuffer> Ledger::Objects::read(const Sha256& id) const {
  const auto found = ledger_.unsaved_.find(id);
  if (found != ledger_.unsaved_.end()) return found->second;
  return ledger_.refs_->read(id);
}

const Status& Ledger::failure() const {
  return isRefsDeciding() ? refs_->failure() : manifest_->failure();
}

std::string Ledger::decidingFile() const {
  return std::string(isRefsDeciding() ? file_names::kRefs : file_names::kManifest);
}

std::optional<std::uint64_t> Ledger::tornAt() const {
  if (isRefsDeciding() || !manifest_) return std::nullopt;
  return manifest_->tornAt();
}

std::string Ledger::behindReason() const {
  if (isManifestBehind_) return "MANIFEST lacks the last edit: " + manifestProblem_;
  if (isRefsBehind_ && isDual()) return "REFS lacks the last edit: " + refsProblem_;
  return {};
}

std::uint64_t Ledger::unsavedBytes() const {
  std::uint64_t bytes = 0;
  for (const auto& [id, content] : unsaved_) bytes += content.size();
  return bytes;
}

void Ledger::forgetSeries(std::span<const SeriesRef> refs) {
  if (isDual()) forgotten_.insert(forgotten_.end(), refs.begin(), refs.end());
}

Status Ledger::apply(ManifestEdit edit, Descriptors descriptors) {
  if (!failure().ok()) return failure();
  edit.number = std::max(state_.editNumber, otherEdit_) +
                (isRefsDeciding() ? kRefsFirstStep : kManifestFirstStep);
  if (state_.seriesCount == 0) edit.seriesCount = std::max(edit.seriesCount, settling_.seriesCount);
  ManifestState next = state_;
  if (Status applied = applyEdit(next, edit); !applied.ok()) return applied;
  Status written = isRefsDeciding() ? applyRefsFirst(edit, std::move(next), descriptors)
                                    : applyManifestFirst(edit, std::move(next), descriptors);
  if (!written.ok()) return written;
  if (isHistoryUnread_) openHistory();
  limitHistory();
  if (isDual()) rewriteWhenLarge();
  checkShadow();
  noteDebt();
  noteMemory();
  return written;
}

Status Ledger::applyRefsFirst(const ManifestEdit& edit, ManifestState next,
                              Descriptors descriptors) {
  bool isWhole = isTreeLost_;
  auto change = prepare(next, descriptors);
  const StatusCode code = change.status().code();
  // A part of the tree that cannot be read any more is in memory, as all that it is made of.
  if (code == StatusCode::kIo || code == StatusCode::kStorageCorrupt) {
    isWhole = true;
    isTreeLost_ = true;
    isRefsUnreadable_ = true;
    change = prepare(next, descriptors);
  }
  if (!change.ok()) return change.status();
  Status written = writeCommit(change.value(), next, reasonOf(edit));
  isTreeLost_ = isWhole && !written.ok();
  if (!written.ok()) return written;
  tree_.adopt(change.value());
  forgotten_.clear();
  treeSeriesCount_ = next.seriesCount;
  isRefsBehind_ = false;
  if (!isManifestBehind_) {
    const Status applied = manifest_->apply(edit);
    isManifestBehind_ = !applied.ok();
    manifestProblem_ = applied.message();
  } else {
    auto manifest = Manifest::replace(to_.fs, to_.directory, next);
    isManifestBehind_ = !manifest.ok();
    manifestProblem_ = manifest.status().message();
    if (manifest.ok()) manifest_ = std::move(manifest).value();
  }
  state_ = std::move(next);
  return {};
}

Status Ledger::applyManifestFirst(const ManifestEdit& edit, ManifestState next,
                                  Descriptors descriptors) {
  if (!isDual() && hasHead_) {
    if (Status dropped = dropHead(); !dropped.ok()) return dropped;
  }
  if (Status applied = manifest_->apply(edit); !applied.ok()) return applied;
  if (!isDual()) {
    state_ = std::move(next);
    return {};
  }
  for (const SegmentFacts& facts : edit.added) uncommitted_.insert(facts.number);
  const auto change = prepare(next, descriptors);
  Status written = change.status();
  if (change.ok()) {
    written = writeCommit(change.value(), next, reasonOf(edit));
    tree_.adopt(change.value());
    forgotten_.clear();
    treeSeriesCount_ = next.seriesCount;
  } else {
    isTreeLost_ = true;
  }
  if (change.ok() && !written.ok()) {
    for (const NewObject& one : change.value().objects) unsaved_[one.id] = one.bytes;
  }
  isRefsBehind_ = !written.ok();
  refsProblem_ = written.message();
  if (written.ok()) uncommitted_.clear();
  state_ = std::move(next);
  return {};
}

// The tree of a state that commits go on from.
Result<ObjectTree::Change> Ledger::prepare(const ManifestState& next, Descriptors descriptors) {
  TreeEdit edit;
  if (isTreeLost_) {
    tree_ = ObjectTree();
    unsaved_.clear();
    edit = wholeEdit(next);
    isTreeLost_ = false;
  } else {
    ManifestState before = state_;
    before.seriesCount = treeSeriesCount_;
    edit = changeOf(before, next, to_.sources);
    for (const auto& [metric, descriptor] : descriptors) putDescriptor(edit, metric, descriptor);
    seriesdb::forgetSeries(edit, forgotten_);
  }
  return tree_.prepare(edit, Objects(*this));
}

TreeEdit Ledger::wholeEdit(const ManifestState& state) const {
  TreeEdit edit = changeOf(ManifestState{}, state, to_.sources);
  const auto index = to_.sources.index.current();
  index->forEachDescriptor([&edit](std::string_view metric, const Descriptor& one) {
    putDescriptor(edit, metric, one);
  });
  return edit;
}

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
  commit.timeMs = wallMs(to_.time);
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

// While a shadow is kept, what edits made of the tree is compared with what the state makes.
void Ledger::checkShadow() {
  if (to_.readMode != MetadataReadMode::kShadow || isRefsBehind_) return;
  const auto whole = ObjectTree().prepare(manifestChange(ManifestState{}, state_), *refs_);
  if (!whole.ok()) return;
  ObjectTree built;
  built.adopt(whole.value());
  std::uint64_t found = 0;
  for (const LeafPlace place : built.differingLeaves(tree_)) {
    const TreeSectionId section{place.section};
    found += section == TreeSectionId::kSegments || section == TreeSectionId::kTombstones ||
                     section == TreeSectionId::kMeta
                 ? 1
                 : 0;
  }
  to_.figures.shadowMismatches.fetch_add(found, std::memory_order_relaxed);
}

void Ledger::noteDebt() {
  std::uint64_t debt = 0;
  for (const SegmentFacts& facts : state_.segments) {
    const bool isNamed = isDual() && hasHead_ && facts.hash && !uncommitted_.contains(facts.number);
    if (!isNamed) ++debt;
  }
  to_.figures.legacySegments.store(debt, std::memory_order_relaxed);
}

// The manifest has its own list of segments. The series of tombstones are counted where readers
// look for them.
void Ledger::noteMemory() {
  std::uint64_t bytes = tree_.memoryBytes() + unsavedBytes() +
                        2 * state_.segments.capacity() * sizeof(SegmentFacts);
  if (refs_) bytes += refs_->memoryBytes() + history_.memoryBytes();
  to_.figures.memoryBytes.store(bytes, std::memory_order_relaxed);
}

}  // namespace seriesdb
