#include "care/restore.h"

#include <algorithm>

#include "annotation/annotation_log.h"
#include "base/clock.h"
#include "engine/engine_open.h"
#include "engine/state_tree.h"
#include "index/catalog.h"
#include "manifest/manifest.h"
#include "model/file_names.h"
#include "wal/wal_writer.h"

namespace seriesdb {

Result<CopySource> Restore::openSource() {
  const auto isThere = readFs_.exists(file_names::join(backup_, file_names::kRoot));
  if (!isThere.ok()) return isThere.status();
  if (!isThere.value()) return noDatabase(backup_);
  const auto root = readRoot(readFs_, backup_);
  if (!root.ok()) return root.status();
  if (!root.value().isBackup()) {
    return Status(StatusCode::kConfiguration, backup_ + " is no backup");
  }
  const Status readable = checkOpenable(root.value(), backup_, true);
  if (!readable.ok()) return readable;
  unit_ = root.value().unit;
  auto lock = readFs_.lock(file_names::join(backup_, file_names::kLock));
  if (!lock.ok()) return lock.status();
  lock_ = std::move(lock).value();
  auto refs = readRefs(readFs_, backup_);
  if (!refs.ok()) return refs.status();
  refs_ = std::move(refs).value();
  const std::string wanted = snapshot_ ? kTagPrefix + *snapshot_ : kHeadRef;
  CopySource source{&readFs_, backup_, {}};
  for (const NamedState& one : refs_->states) {
    if (one.move.ref == wanted) chosen_ = &one;
    // The head will be the snapshot: nobody names what it had.
    if (snapshot_ && one.move.ref == kHeadRef) continue;
    for (const SegmentFacts& facts : one.state.segments) {
      if (facts.hash) source.files.segments.emplace(*facts.hash, facts.fileSize);
    }
  }
  if (chosen_ == nullptr && snapshot_) return noSnapshot(*snapshot_);
  if (chosen_ == nullptr) {
    return Status::corrupt(file_names::join(backup_, file_names::kRefs) + " has no head");
  }
  auto file = refs_->log->readable();
  if (!file.ok()) return file.status();
  source.files.refs = std::move(file).value();
  return source;
}

Result<RootFacts> Restore::rootOver(const std::optional<RootFacts>& there) {
  const bool isOurs = there && there->isUnfinished() && !there->isBackup();
  if (there && !isOurs) {
    const char* what = there->isBackup() ? " holds a backup" : " holds a database";
    return Status(StatusCode::kConfiguration, target() + what + ": choose an empty directory");
  }
  return RootFacts{unit_, there ? there->id : makeDatabaseId(), 0, 0};
}

Status Restore::complete() {
  Status done = snapshot_ ? moveHead() : Status();
  if (done.ok()) done = writeDescriptions();
  if (done.ok()) done = writeLog();
  return done;
}

Status Restore::moveHead() {
  auto log = RefsLog::open(fs(), target());
  if (!log.ok()) return log.status();
  const Sha256 from = log.value()->target(kHeadRef);
  return log.value()->append({kHeadRef, from, chosen_->move.to, wallMs(), CommitReason::kRestore},
                             {});
}

// What the database opens from where commits are not believed.
Status Restore::writeDescriptions() {
  const ManifestState& state = chosen_->state;
  auto manifest = Manifest::replace(fs(), target(), state);
  if (!manifest.ok()) return manifest.status();
  const auto index = SeriesIndex::make({});
  Status restored = restoreIndex(chosen_->tree, *refs_->log, *index);
  if (!restored.ok()) return restored;
  const auto catalog = Catalog::replace(fs(), target(), *index,
                                        static_cast<std::uint32_t>(state.seriesCount));
  if (!catalog.ok()) return catalog.status();
  AnnotationIndex annotations;
  restored = restoreAnnotations(chosen_->tree, *refs_->log, annotations);
  if (!restored.ok()) return restored;
  AnnotationLog log(fs(), target());
  restored = log.resume(annotations);
  return restored.ok() ? log.append(annotations, state.annotationCount) : restored;
}

// An empty one, which goes on where that of the database ended.
Status Restore::writeLog() {
  const std::string folder = file_names::join(target(), file_names::kWalDirectory);
  const std::string segments = file_names::join(target(), file_names::kSegmentDirectory);
  for (const std::string& one : {folder, segments}) {
    if (Status made = fs().makeDirectory(one); !made.ok()) return made;
  }
  const auto names = fs().list(folder);
  if (!names.ok()) return names.status();
  for (const std::string& name : names.value()) {
    if (Status gone = fs().remove(file_names::join(folder, name)); !gone.ok()) return gone;
  }
  std::uint64_t next = chosen_->state.flushedSequence + 1;
  return WalWriter::create(fs(), folder, chosen_->state.walFloor, next).status();
}

}  // namespace seriesdb
