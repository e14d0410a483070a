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
bool isPast(const EngineSettings& settings) {
  return settings.root.isBackup() || settings.options.isAny();
}

Status openRoot(EngineSettings& settings) {
  const auto root = readRoot(settings.fs, settings.options.directory);
  if (!root.ok()) return root.status();
  settings.root = root.value();
  Status openable =
      checkOpenable(settings.root, settings.options.directory, settings.options.isReadOnly);
  if (!openable.ok() || settings.root.unit == settings.options.unit) return openable;
  return {StatusCode::kUnitMismatch,
          "the database in " + settings.options.directory + " has timestamp_unit \"" +
              std::string(unitName(settings.root.unit)) + "\", but the configuration says \"" +
              std::string(unitName(settings.options.unit)) + "\""};
}

// Gives a database of an older version its id, and the features that a program must know.
Status nameDatabase(EngineSettings& settings) {
  if (settings.root.id && (settings.root.toRead & kRootWritten) == kRootWritten) return {};
  RootFacts named = settings.root;
  if (!named.id) named.id = makeDatabaseId();
  named.toRead |= kRootWritten;
  Status written = writeRoot(settings.fs, settings.options.directory, named);
  // Without free space the file stays unchanged until the next start.
  if (written.code() == StatusCode::kStorageUnavailable) return {};
  if (written.ok()) settings.root = named;
  return written;
}

// Records of the log are later than the files read so far.
Result<WalEnd> replay(EngineOwners& owners) {
  if (!isPast(owners.settings)) {
    return replayWal(owners.settings, owners.sources, owners.description.manifest, owners.writes,
                     owners.figures.counters);
  }
  const auto manifest = owners.description.manifest.hold();
  owners.writes.nextSequence = manifest->state().flushedSequence + 1;
  return WalEnd{manifest->state().walFloor, 0};
}

// If ANNOTATIONS has fewer entries than MANIFEST says, some are lost: their WAL files are gone.
Status openAnnotations(EngineOwners& owners) {
  const auto manifest = owners.description.manifest.hold();
  const Status opened = manifest->isFromCommit()
                            ? owners.logs.annotationLog.resume(owners.sources.annotations)
                            : owners.logs.annotationLog.open(owners.sources.annotations);
  if (!opened.ok()) return opened;
  owners.writes.frozenAnnotationCount = owners.sources.annotations.count();
  const std::uint64_t expected = manifest->state().annotationCount;
  if (owners.sources.annotations.count() >= expected) return opened;
  return Status::corrupt(owners.settings.path(file_names::kAnnotations) + " holds " +
                         std::to_string(owners.sources.annotations.count()) + " annotations of " +
                         std::to_string(expected));
}

// Opens the index and the annotations as they were before the log.
Status openNames(EngineOwners& owners) {
  const auto manifest = owners.description.manifest.hold();
  const auto index = owners.sources.index.writable();
  const std::string& directory = owners.settings.options.directory;
  if (!manifest->isFromCommit()) {
    auto catalog = Catalog::open(owners.settings.fs, directory, *index);
    if (!catalog.ok()) return catalog.status();
    owners.logs.catalog = std::move(catalog).value();
    return Status::okStatus();
  }
  const Status restored = manifest->restore(*index, owners.sources.annotations);
  if (!restored.ok()) return restored;
  const auto exists = owners.settings.fs.exists(owners.settings.path(file_names::kCatalog));
  if (!exists.ok()) return exists.status();
  if (!exists.value()) return Status::okStatus();
  auto catalog = Catalog::resume(owners.settings.fs, directory, *index);
  const bool isOther = catalog.status().code() == StatusCode::kStorageCorrupt;
  if (!catalog.ok()) return isOther ? Status::okStatus() : catalog.status();
  owners.logs.catalog = std::move(catalog).value();
  return Status::okStatus();
}

// If these files are missing, the others cannot be understood.
Status checkPresent(const EngineSettings& settings) {
  for (const auto name : {file_names::kManifest, file_names::kCatalog}) {
    const auto exists = settings.fs.exists(settings.path(name));
    if (!exists.ok()) return exists.status();
    if (!exists.value()) return Status::corrupt(settings.path(name) + " is missing");
  }
  return Status::okStatus();
}

Status compareLedger(ManifestHolder& manifestHolder) {
  const auto manifest = manifestHolder.hold();
  return manifest->compare();
}

Status settle(EngineOwners& owners) {
  const auto manifest = owners.description.manifest.hold();
  Status settled = settleLedger(owners.settings, manifest, owners.writes.activeDescriptors,
                                owners.figures.health);
  if (!settled.ok()) return settled;
  return settleLogs(owners.settings, owners.sources, manifest, owners.logs);
}

Status removeUnnamed(EngineOwners& owners) {
  return removeUnnamedSegments(owners.settings, owners.sources.view, owners.description.manifest,
                               owners.figures.health);
}

// May be called again after kStorageUnavailable.
Status tryWriting(EngineOwners& owners) {
  // ROOT names the features that a reader must know before anything uses them.
  Status settled = nameDatabase(owners.settings);
  if (settled.ok()) settled = settle(owners);
  if (settled.ok())
    settled = resumeWal(owners.settings, owners.description.manifest, owners.writes);
  if (!settled.ok()) return settled;
  const Status removed = removeUnnamed(owners);
  // The log is open by now, so this cannot be tried again.
  return removed.ok() ? removed : Status(StatusCode::kIo, removed.message());
}

// A full disk gets back the room of unfinished segments, then that of RESERVE. If that is not
// enough, the database opens for reading, and the committer tries again.
Status beginWriting(EngineOwners& owners) {
  owners.room.reserve.adopt();
  Status begun = tryWriting(owners);
  const auto isFull = [&begun] { return begun.code() == StatusCode::kStorageUnavailable; };
  if (isFull() && removeUnnamed(owners).ok()) begun = tryWriting(owners);
  if (isFull() && owners.room.reserve.release()) begun = tryWriting(owners);
  if (!isFull()) return begun;
  owners.room.awaitsRoom.store(true, std::memory_order_release);
  owners.figures.health.report(
      Health::kDiskTopic,
      "the disk refuses writes, so the database is read-only until it accepts them: " +
          begun.message());
  return {};
}

}  // namespace

Status recoverDatabase(EngineOwners& owners) {
  Status checked = openRoot(owners.settings);
  if (!checked.ok()) return checked;
  auto ledger = ledgerOf(owners.settings, owners.sources, owners.figures);
  const Status described = ledger->open();
  if (!ledger->isFromCommit()) checked = checkPresent(owners.settings);
  if (!checked.ok()) return checked;
  if (!described.ok()) return described;
  owners.description.manifest.set(std::move(ledger));
  const Status named = openNames(owners);
  if (!named.ok()) return named;
  owners.logs.catalogSeriesCount = owners.sources.createdCount();
  const Status annotated = openAnnotations(owners);
  if (!annotated.ok()) return annotated;
  const Status opened = openSegments(owners.settings, owners.sources, owners.description.manifest,
                                     owners.figures.health);
  if (!opened.ok()) return opened;
  const Status compared = compareLedger(owners.description.manifest);
  if (!compared.ok()) return compared;
  const auto end = replay(owners);
  if (!end.ok()) return end.status();
  // A past state skips this check: files of later states are unnamed there, and a backup in renewal
  // has files not yet named.
  Status known;
  if (!isPast(owners.settings)) {
    known = checkUnnamedSegments(owners.settings, owners.sources.view, owners.description.manifest,
                                 owners.writes.nextSequence);
  }
  if (!known.ok()) return known;
  // No reader waits yet. Strips without pending erasures are faster to read.
  const auto recovered = owners.sources.view.current();
  while (recovered->active->carryOut()) continue;
  narrowBounds(owners.sources.view, owners.sources.index);
  if (owners.settings.options.isReadOnly) return Status::okStatus();
  // Removal comes last, so that nothing is removed from a directory that cannot be opened.
  owners.writes.replayEnd = end.value();
  owners.figures.counters.walNumber = end.value().number;
  return beginWriting(owners);
}

Status resumeWriting(EngineOwners& owners) {
  if (Status resumed = tryWriting(owners); !resumed.ok()) return resumed;
  owners.figures.counters.walNumber = owners.writes.wal->number();
  owners.figures.counters.walOutlived.store(owners.figures.counters.walNumber);
  static_cast<void>(owners.room.reserve.restore());
  return {};
}

}  // namespace seriesdb
