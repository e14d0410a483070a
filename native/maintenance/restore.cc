#include "maintenance/restore.h"

#include <utility>

#include "common/base/clock.h"
#include "common/types/file_names.h"
#include "format/annotation/annotation_log.h"
#include "format/log/wal_writer.h"
#include "format/manifest/manifest.h"
#include "index/catalog/catalog.h"
#include "maintenance/inspect/refs_reading.h"
#include "storage/engine/engine_open.h"
#include "storage/ledger/state_tree.h"

namespace seriesdb {

Restore::Restore(FileSystem& readFs, std::string backup, std::optional<std::string> snapshot,
                 FileSystem& fs, std::string target)
    : DatabaseCopy(fs, std::move(target)),
      readFs_(readFs),
      backup_(std::move(backup)),
      snapshot_(std::move(snapshot)) {}

Restore::~Restore() = default;

Result<RootFacts> Restore::rootOfBackup() const {
  const auto isThere = readFs_.exists(file_names::join(backup_, file_names::kRoot));
  if (!isThere.ok()) return isThere.status();
  if (!isThere.value()) return noDatabase(backup_);
  auto root = readRoot(readFs_, backup_);
  if (!root.ok()) return root;
  if (!root.value().isBackup()) {
    return Status(StatusCode::kConfiguration, backup_ + " is not a backup");
  }
  Status readable = checkOpenable(root.value(), backup_, true);
  if (readable.ok()) readable = checkFeatures(root.value(), backup_);
  if (!readable.ok()) return readable;
  return root;
}

Result<CopySource> Restore::openSource() {
  const auto root = rootOfBackup();
  if (!root.ok()) return root.status();
  unit_ = root.value().unit;
  auto lock = readFs_.lock(file_names::join(backup_, file_names::kLock));
  if (!lock.ok()) return lock.status();
  lock_ = std::move(lock).value();
  auto file = readFs_.openRead(file_names::join(backup_, file_names::kRefs));
  if (!file.ok()) return file.status();
  return CopySource{&readFs_, backup_, {std::move(file).value(), {}}};
}

// For a snapshot: the snapshot and the earlier ones. Later ones belong to another future, in which
// the same numbers mean other things.
Result<std::vector<const NamedState*>> Restore::chooseStates() {
  const std::string wanted = snapshot_ ? kTagPrefix + *snapshot_ : kHeadRef;
  for (const NamedState& one : refs().states) {
    if (one.move.ref == wanted) chosen_ = &one;
  }
  if (chosen_ == nullptr) return noSnapshot(*snapshot_);
  std::vector<const NamedState*> kept;
  for (const NamedState& one : refs().states) {
    if (!snapshot_ || one.commit.edit <= chosen_->commit.edit) {
      kept.push_back(&one);
    } else if (one.move.ref != kHeadRef) {
      dropped_.push_back(one.move);
    }
  }
  return kept;
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
  auto log = RefsLog::open(fs(), target());
  Status done = log.status();
  if (done.ok() && snapshot_) done = moveHead(*log.value());
  if (done.ok()) done = writeDescriptions(*log.value());
  if (done.ok()) done = writeLog();
  return done;
}

Status Restore::moveHead(RefsLog& log) {
  const std::int64_t now = wallMs();
  for (const RefMove& one : dropped_) {
    Status gone = log.append({one.ref, one.to, Sha256{}, now, CommitReason::kRestore}, {});
    if (!gone.ok()) return gone;
  }
  const Sha256 from = log.target(kHeadRef);
  return log.append({kHeadRef, from, chosen_->move.to, now, CommitReason::kRestore}, {});
}

// Writes the files from which a database without commits opens. An earlier try may have been for
// another state.
Status Restore::writeDescriptions(const ObjectReader& objects) {
  const ManifestState& state = chosen_->state;
  auto manifest = Manifest::replace(fs(), target(), state);
  if (!manifest.ok()) return manifest.status();
  const auto index = SeriesIndex::make({});
  Status restored = restoreIndex(chosen_->tree, objects, state.seriesCount, *index);
  if (!restored.ok()) return restored;
  const auto catalog =
      Catalog::replace(fs(), target(), *index, static_cast<std::uint32_t>(state.seriesCount));
  if (!catalog.ok()) return catalog.status();
  AnnotationIndex annotations;
  restored = restoreAnnotations(chosen_->tree, objects, annotations);
  if (restored.ok()) {
    restored = removeLeftover(fs(), file_names::join(target(), file_names::kAnnotations));
  }
  if (!restored.ok()) return restored;
  return AnnotationLog(fs(), target()).append(annotations, state.annotationCount);
}

// Makes an empty log, which continues where the database's log ended.
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
