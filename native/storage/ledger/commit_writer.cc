#include "storage/ledger/commit_writer.h"

#include <algorithm>
#include <utility>

#include "common/base/clock.h"
#include "storage/ledger/descriptor_leaves.h"

namespace seriesdb {
namespace {

// REFS below this size is never rewritten. Above it, REFS is rewritten when it is
// kRefsRewriteFactor times as large as its live objects.
constexpr std::uint64_t kRefsRewriteSizeMin = std::uint64_t{64} << 10;
constexpr std::uint64_t kRefsRewriteFactor = 8;
// A start reads all of REFS into memory, so large databases limit dead bytes to this.
constexpr std::uint64_t kRefsWasteMax = std::uint64_t{64} << 20;

}  // namespace

Result<ByteBuffer> CommitWriter::Objects::read(const Sha256& id) const {
  const auto found = writer_.unsaved_.find(id);
  if (found != writer_.unsaved_.end()) return found->second;
  return writer_.head_.refs->read(id);
}

CommitWriter::CommitWriter(const LedgerSurroundings& to, CommittedHead& head, PastCommits& past)
    : to_(to), head_(head), past_(past), rewriteSizeMin_(kRefsRewriteSizeMin) {}

std::uint64_t CommitWriter::unsavedBytes() const {
  std::uint64_t bytes = 0;
  for (const auto& [id, content] : unsaved_) bytes += content.size();
  return bytes;
}

void CommitWriter::forget(std::span<const SeriesRef> refs) {
  forgotten_.insert(forgotten_.end(), refs.begin(), refs.end());
}

void CommitWriter::adopt(const ObjectTree::Change& change, std::uint64_t seriesCount) {
  head_.tree.adopt(change);
  forgotten_.clear();
  seriesCount_ = seriesCount;
}

void CommitWriter::keepUnsaved(const NewObjects& objects) {
  for (const NewObject& one : objects) unsaved_[one.id] = one.bytes;
}

Result<ObjectTree::Change> CommitWriter::prepare(const ManifestState& state,
                                                 const ManifestState& next,
                                                 Descriptors descriptors) {
  TreeEdit edit;
  if (head_.isTreeLost) {
    head_.tree = ObjectTree();
    unsaved_.clear();
    auto whole = wholeEdit(next);
    if (!whole.ok()) return whole.status();
    edit = std::move(whole).value();
    head_.isTreeLost = false;
  } else {
    ManifestState before = state;
    before.seriesCount = seriesCount_;
    edit = changeOf(before, next, to_.sources);
    DescriptorLeaves leaves;
    for (const auto& [metric, descriptor] : descriptors) leaves.put(metric, descriptor);
    const Status moved = leaves.moveInto(edit, head_.tree, objects());
    if (!moved.ok()) return moved;
    seriesdb::forgetSeries(edit, forgotten_);
  }
  return head_.tree.prepare(edit, objects());
}

Result<TreeEdit> CommitWriter::wholeEdit(const ManifestState& state) const {
  TreeEdit edit = changeOf(ManifestState{}, state, to_.sources);
  const auto index = to_.sources.index.current();
  DescriptorLeaves leaves;
  index->forEachDescriptor([&leaves](std::string_view metric, const Descriptor& one) {
    leaves.put(metric, one);
  });
  const Status moved = leaves.moveInto(edit, ObjectTree(), objects());
  if (!moved.ok()) return moved;
  return edit;
}

Status CommitWriter::dropHead() {
  const RefMove move{kHeadRef, head_.id, Sha256{}, wallMs(to_.time), CommitReason::kRepair};
  Status written = head_.refs->failure();
  if (written.ok()) {
    written = head_.refs->append(move, {});
  } else {
    std::vector<Sha256> tagged;
    written = past_.addTagged(tagged);
    if (written.ok()) written = head_.refs->replace(move, {}, tagged);
  }
  if (!written.ok()) return written;
  head_.id = Sha256{};
  past_.clearHistory();
  head_.isBehind = false;
  to_.figures.walNamedTo = 0;
  to_.figures.walNamedFrom = 0;
  return {};
}

Status CommitWriter::write(const ObjectTree::Change& change, const Step& step) {
  Commit commit;
  commit.root = change.root;
  if (head_.id != Sha256{}) commit.parent = head_.id;
  commit.edit = step.next.editNumber;
  commit.timeMs = step.timeMs != 0 ? step.timeMs : wallMs(to_.time);
  commit.reason = step.reason;
  commit.walFloor = step.next.walFloor;
  commit.walEnd = std::max(step.next.walFloor, to_.walNumber.load(std::memory_order_relaxed));
  ByteBuffer bytes;
  appendCommit(bytes, commit);
  NewObjects objects{makeObject(std::move(bytes))};
  const Sha256 id = objects.front().id;
  for (const auto& [unsaved, content] : unsaved_) objects.push_back({unsaved, content});
  objects.insert(objects.end(), change.objects.begin(), change.objects.end());
  const RefMove move{kHeadRef, head_.id, id, commit.timeMs, step.reason};

  const std::uint64_t begin = monotonicNanos();
  Status written = head_.refs->failure();
  const bool isDue = written.ok() && isUnreadable_;
  if (isDue || (!written.ok() && !isDeciding())) {
    ObjectTree after = head_.tree;
    after.adopt(change);
    std::vector<Sha256> live = objectsOf(after, id);
    if (isDue) {
      // The unreadable part may belong to history alone.
      past_.clearHistory();
    } else {
      past_.addPast(live);
    }
    written = past_.addTagged(live);
    if (written.ok()) written = head_.refs->replace(move, objects, live);
    isUnreadable_ = isUnreadable_ && !written.ok();
    // The old file may be unreadable.
    if (!written.ok() && !isDue) {
      head_.isTreeLost = true;
      past_.clearHistory();
    }
    if (!written.ok() && isDue && head_.refs->failure().ok()) {
      written = head_.refs->append(move, objects);
    }
  } else if (written.ok()) {
    written = head_.refs->append(move, objects);
  }
  LedgerFigures& figures = to_.figures;
  figures.syncNanos.fetch_add(monotonicNanos() - begin, std::memory_order_relaxed);
  (written.ok() ? figures.syncs : figures.syncFailed).fetch_add(1, std::memory_order_relaxed);
  if (!written.ok()) return written;
  unsaved_.clear();
  const bool isStep = head_.exists() && !head_.isBehind && !isDue;
  if (isStep) past_.noteStep(change, step.before, step.next);
  head_.id = id;
  head_.commit = commit;
  if (!isStep) past_.setUnread();
  figures.walNamedFrom = commit.walFloor;
  figures.walNamedTo = commit.walEnd;
  return {};
}

void CommitWriter::rewriteWhenLarge() {
  if (head_.isBehind || past_.pins().areAll() || head_.refs->size() < rewriteSizeMin_) return;
  const auto all = liveObjects();
  if (!all.ok()) return;
  const std::vector<Sha256>& live = all.value();
  const std::uint64_t size = head_.refs->sizeOf(live);
  const std::uint64_t most = std::min(kRefsRewriteFactor * size, size + kRefsWasteMax);
  rewriteSizeMin_ = std::max(kRefsRewriteSizeMin, most);
  if (head_.refs->size() < rewriteSizeMin_) return;
  const RefMove last = head_.refs->refs().at(kHeadRef);
  // The commit is durable even if the rewrite fails; the next commit reports that failure.
  if (head_.refs->replace(last, {}, live).ok()) return;
  rewriteSizeMin_ = head_.refs->size() * 2;
  // History may be the unreadable part.
  past_.clearHistory();
}

// True if all live objects of REFS are known, so that the rest may be removed.
bool CommitWriter::isWholeKnown() const {
  return to_.isDual() && head_.exists() && !head_.isBehind && !past_.pins().areAll() &&
         !head_.isTreeLost;
}

std::uint64_t CommitWriter::refsWaste() const {
  if (!isWholeKnown()) return 0;
  const auto live = liveObjects();
  if (!live.ok()) return 0;
  const std::uint64_t size = head_.refs->sizeOf(live.value());
  return head_.refs->size() > size ? head_.refs->size() - size : 0;
}

Result<std::uint64_t> CommitWriter::shortenRefs() {
  if (!isWholeKnown()) return std::uint64_t{0};
  const auto live = liveObjects();
  if (!live.ok()) return live.status();
  const std::uint64_t before = head_.refs->size();
  const RefMove last = head_.refs->refs().at(kHeadRef);
  if (Status done = head_.refs->replace(last, {}, live.value()); !done.ok()) return done;
  rewriteSizeMin_ = kRefsRewriteSizeMin;
  return before > head_.refs->size() ? before - head_.refs->size() : 0;
}

Result<std::vector<Sha256>> CommitWriter::liveObjects() const {
  std::vector<Sha256> live = objectsOf(head_.tree, head_.id);
  past_.addObjects(live);
  Status added = past_.addTagged(live);
  if (!added.ok()) return added;
  return live;
}

}  // namespace seriesdb
