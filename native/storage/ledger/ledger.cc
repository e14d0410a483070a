// How the ledger writes an edit. For the start see ledger_open.cc.
#include "storage/ledger/ledger.h"

#include <algorithm>
#include <utility>

#include "common/types/file_names.h"
#include "format/manifest/manifest_edit.h"
#include "format/objects/commit.h"
#include "storage/ledger/descriptor_leaves.h"

namespace seriesdb {
namespace {

CommitReason reasonOf(const ManifestEdit& edit) {
  if (edit.isBeforeRemoval) return CommitReason::kDelete;
  if (edit.flushedSequence != 0) return CommitReason::kFlush;
  if (!edit.hashed.empty()) return CommitReason::kMigrate;
  if (!edit.added.empty() || !edit.removed.empty() || !edit.raised.empty()) {
    return CommitReason::kCompact;
  }
  if (edit.retentionClock) return CommitReason::kRetention;
  return edit.tombstones.empty() ? CommitReason::kRepair : CommitReason::kDelete;
}

}  // namespace

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
  editTimeMs_ = edit.timeMs;
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
  // If a part of the tree is unreadable on disk, it is rebuilt from memory.
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
  if (!isDual() && hasHead()) {
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

// Prepares the tree of the next state, as a change of the current tree.
Result<ObjectTree::Change> Ledger::prepare(const ManifestState& next, Descriptors descriptors) {
  TreeEdit edit;
  if (isTreeLost_) {
    tree_ = ObjectTree();
    unsaved_.clear();
    auto whole = wholeEdit(next);
    if (!whole.ok()) return whole.status();
    edit = std::move(whole).value();
    isTreeLost_ = false;
  } else {
    ManifestState before = state_;
    before.seriesCount = treeSeriesCount_;
    edit = changeOf(before, next, to_.sources);
    DescriptorLeaves leaves;
    for (const auto& [metric, descriptor] : descriptors) leaves.put(metric, descriptor);
    const Status moved = leaves.moveInto(edit, tree_, Objects(*this));
    if (!moved.ok()) return moved;
    seriesdb::forgetSeries(edit, forgotten_);
  }
  return tree_.prepare(edit, Objects(*this));
}

Result<TreeEdit> Ledger::wholeEdit(const ManifestState& state) const {
  TreeEdit edit = changeOf(ManifestState{}, state, to_.sources);
  const auto index = to_.sources.index.current();
  DescriptorLeaves leaves;
  index->forEachDescriptor([&leaves](std::string_view metric, const Descriptor& one) {
    leaves.put(metric, one);
  });
  const Status moved = leaves.moveInto(edit, ObjectTree(), Objects(*this));
  if (!moved.ok()) return moved;
  return edit;
}

}  // namespace seriesdb
