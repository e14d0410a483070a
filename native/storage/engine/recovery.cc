#include "storage/engine/recovery.h"

#include <utility>

#include "common/types/file_names.h"
#include "storage/compactor/unnamed_segments.h"
#include "storage/engine/ledger_opening.h"
#include "storage/engine/segment_recovery.h"
#include "storage/engine/wal_replay.h"
#include "storage/ledger/root_file.h"

namespace seriesdb {
namespace {

// True for a past state or a backup: only commits describe it, and it takes no writes.
bool isPast(const EngineState& state) {
  return state.root.isBackup() || state.options.isAny();
}

Status openRoot(EngineState& state) {
  const auto root = readRoot(state.fs, state.options.directory);
  if (!root.ok()) return root.status();
  state.root = root.value();
  Status openable =
      checkOpenable(state.root, state.options.directory, state.options.isReadOnly);
  if (!openable.ok() || state.root.unit == state.options.unit) return openable;
  return {StatusCode::kUnitMismatch,
          "the database in " + state.options.directory + " has timestamp_unit \"" +
              std::string(unitName(state.root.unit)) + "\", but the configuration says \"" +
              std::string(unitName(state.options.unit)) + "\""};
}

// Gives a database of an older version its id, and the features that a program must know.
Status nameDatabase(EngineState& state) {
  if (state.root.id && (state.root.toRead & kRootWritten) == kRootWritten) return {};
  RootFacts named = state.root;
  if (!named.id) named.id = makeDatabaseId();
  named.toRead |= kRootWritten;
  Status written = writeRoot(state.fs, state.options.directory, named);
  // Without free space the file stays unchanged until the next start.
  if (written.code() == StatusCode::kStorageUnavailable) return {};
  if (written.ok()) state.root = named;
  return written;
}

// Records of the log are later than the files read so far.
Result<WalEnd> replay(EngineState& state) {
  if (!isPast(state)) return replayWal(state);
  const auto manifest = state.manifest.hold();
  state.nextSequence = manifest->state().flushedSequence + 1;
  return WalEnd{manifest->state().walFloor, 0};
}

// If ANNOTATIONS has fewer entries than MANIFEST says, some are lost: their WAL files are gone.
Status openAnnotations(EngineState& state) {
  const auto manifest = state.manifest.hold();
  const Status opened = manifest->isFromCommit() ? state.annotationLog.resume(state.annotations)
                                                 : state.annotationLog.open(state.annotations);
  if (!opened.ok()) return opened;
  state.frozenAnnotationCount = state.annotations.count();
  const std::uint64_t expected = manifest->state().annotationCount;
  if (state.annotations.count() >= expected) return opened;
  return Status::corrupt(state.path(file_names::kAnnotations) + " holds " +
                         std::to_string(state.annotations.count()) + " annotations of " +
                         std::to_string(expected));
}

// Opens the index and the annotations as they were before the log.
Status openNames(EngineState& state) {
  const auto manifest = state.manifest.hold();
  const auto index = state.index.writable();
  const std::string& directory = state.options.directory;
  if (!manifest->isFromCommit()) {
    auto catalog = Catalog::open(state.fs, directory, *index);
    if (!catalog.ok()) return catalog.status();
    state.catalog = std::move(catalog).value();
    return Status::okStatus();
  }
  const Status restored = manifest->restore(*index, state.annotations);
  if (!restored.ok()) return restored;
  const auto exists = state.fs.exists(state.path(file_names::kCatalog));
  if (!exists.ok()) return exists.status();
  if (!exists.value()) return Status::okStatus();
  auto catalog = Catalog::resume(state.fs, directory, *index);
  const bool isOther = catalog.status().code() == StatusCode::kStorageCorrupt;
  if (!catalog.ok()) return isOther ? Status::okStatus() : catalog.status();
  state.catalog = std::move(catalog).value();
  return Status::okStatus();
}

// If these files are missing, the others cannot be understood.
Status checkPresent(EngineState& state) {
  for (const auto name : {file_names::kManifest, file_names::kCatalog}) {
    const auto exists = state.fs.exists(state.path(name));
    if (!exists.ok()) return exists.status();
    if (!exists.value()) return Status::corrupt(state.path(name) + " is missing");
  }
  return Status::okStatus();
}

Status compareLedger(EngineState& state) {
  const auto manifest = state.manifest.hold();
  return manifest->compare();
}

// May be called again after kStorageUnavailable.
Status tryWriting(EngineState& state) {
  // ROOT names the features that a reader must know before anything uses them.
  Status settled = nameDatabase(state);
  if (settled.ok()) settled = settleLedger(state);
  if (settled.ok()) settled = resumeWal(state, state.replayEnd);
  if (!settled.ok()) return settled;
  const Status removed = removeUnnamedSegments(state);
  // The log is open by now, so this cannot be tried again.
  return removed.ok() ? removed : Status(StatusCode::kIo, removed.message());
}

// A full disk gets back the room of unfinished segments, then that of RESERVE. If that is not
// enough, the database opens for reading, and the committer tries again.
Status beginWriting(EngineState& state) {
  state.reserve.adopt();
  Status begun = tryWriting(state);
  const auto isFull = [&begun] { return begun.code() == StatusCode::kStorageUnavailable; };
  if (isFull() && removeUnnamedSegments(state).ok()) begun = tryWriting(state);
  if (isFull() && state.reserve.release()) begun = tryWriting(state);
  if (!isFull()) return begun;
  state.awaitsRoom.store(true, std::memory_order_release);
  state.health.report(
      Health::kDiskTopic,
      "the disk refuses writes, so the database is read-only until it accepts them: " +
          begun.message());
  return {};
}

}  // namespace

Status recoverDatabase(EngineState& state) {
  Status checked = openRoot(state);
  if (!checked.ok()) return checked;
  auto ledger = ledgerOf(state);
  const Status described = ledger->open();
  if (!ledger->isFromCommit()) checked = checkPresent(state);
  if (!checked.ok()) return checked;
  if (!described.ok()) return described;
  state.manifest.set(std::move(ledger));
  const Status named = openNames(state);
  if (!named.ok()) return named;
  state.catalogSeriesCount = state.createdCount();
  const Status annotated = openAnnotations(state);
  if (!annotated.ok()) return annotated;
  const Status opened = openSegments(state);
  if (!opened.ok()) return opened;
  const Status compared = compareLedger(state);
  if (!compared.ok()) return compared;
  const auto end = replay(state);
  if (!end.ok()) return end.status();
  // A past state skips this check: files of later states are unnamed there, and a backup in renewal
  // has files not yet named.
  const Status known = isPast(state) ? Status() : checkUnnamedSegments(state);
  if (!known.ok()) return known;
  // No reader waits yet. Strips without pending erasures are faster to read.
  const auto recovered = state.view.current();
  while (recovered->active->carryOut()) continue;
  narrowBounds(state);
  if (state.options.isReadOnly) return Status::okStatus();
  // Removal comes last, so that nothing is removed from a directory that cannot be opened.
  state.replayEnd = end.value();
  state.counters.walNumber = end.value().number;
  return beginWriting(state);
}

Status resumeWriting(EngineState& state) {
  if (Status resumed = tryWriting(state); !resumed.ok()) return resumed;
  state.counters.walNumber = state.wal->number();
  state.counters.walOutlived.store(state.counters.walNumber);
  static_cast<void>(state.reserve.restore());
  return {};
}

}  // namespace seriesdb
