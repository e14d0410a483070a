#include "engine/engine_open.h"

#include <algorithm>
#include <utility>

#include "engine/wal_replay.h"
#include "ledger/root_file.h"
#include "model/file_names.h"
#include "segment/segment_identity.h"
#include "upkeep/level_zero.h"
#include "upkeep/publication.h"
#include "upkeep/unnamed_segments.h"
#include "view/live_bounds.h"
#include "wal/wal_reader.h"
#include "write/commit_record.h"

namespace seriesdb {
namespace {

// Whether it is a state that commits alone tell, and nothing goes on from.
bool isPast(const EngineState& state) {
  return state.root.isBackup() || state.options.isAny();
}

Status lockDirectory(EngineState& state) {
  if (state.options.isLockHeld) return {};
  Status made = state.fs.makeDirectory(state.options.directory);
  if (!made.ok()) return made;
  auto lock = state.fs.lock(state.path(file_names::kLock));
  if (!lock.ok()) return lock.status();
  state.lock = std::move(lock).value();
  return Status::okStatus();
}

// What an unfinished creation leaves has a manifest, a catalog and a WAL without records. Anything
// more beside a missing root is a database that lost its root, and must not be mistaken for a new
// one.
Status clearUnfinishedCreation(EngineState& state) {
  const auto missingRoot = [&](const std::string& found) {
    return Status::corrupt(state.path(file_names::kRoot) + " is missing, but " + found +
                           " holds data; restore the file or choose another directory");
  };
  for (const auto folder : {file_names::kSegmentDirectory, file_names::kWalDirectory}) {
    const auto names = state.fs.list(state.path(folder));
    if (!names.ok()) continue;
    for (const std::string& name : names.value()) {
      const std::string path = file_names::join(state.path(folder), name);
      const auto number = file_names::walNumber(name);
      if (!number || *number != 1) return missingRoot(path);
      const auto report = readWalFile(state.fs, path, *number,
                                      [](const LogRecord&) { return Status::okStatus(); });
      if (!report.ok() || !report.value().isUnused()) return missingRoot(path);
      const Status removed = state.fs.remove(path);
      if (!removed.ok()) return removed;
    }
  }
  const std::string object = firstObject(state);
  if (!object.empty()) return missingRoot(object);
  const auto hasRefs = state.fs.exists(state.path(file_names::kRefs));
  if (!hasRefs.ok()) return hasRefs.status();
  if (hasRefs.value()) return missingRoot(state.path(file_names::kRefs));
  for (const auto& [name, kind] : {std::pair{file_names::kManifest, LogKind::kManifest},
                                   std::pair{file_names::kCatalog, LogKind::kCatalog},
                                   std::pair{file_names::kAnnotations, LogKind::kAnnotations}}) {
    const std::string path = state.path(name);
    const auto exists = state.fs.exists(path);
    if (!exists.ok()) return exists.status();
    if (!exists.value()) continue;
    const auto bytes = state.fs.readAll(path);
    if (!bytes.ok()) return bytes.status();
    if (bytes.value().size() > kEmptyLogSizeMax) return missingRoot(path);
    const Status removed = state.fs.remove(path);
    if (!removed.ok()) return removed;
  }
  return Status::okStatus();
}

std::unique_ptr<Ledger> ledgerOf(EngineState& state) {
  return std::make_unique<Ledger>(Ledger::Surroundings{
      state.fs,
      state.options.directory,
      state.options.casMode,
      state.options.metadataReadMode,
      state.options,
      state.options.held,
      {state.index, state.annotations},
      *state.options.time,
      state.historyKeepMs,
      state.options.historyBytesMin,
      state.counters.walNumber,
      state.ledgerFigures,
  });
}

// Both descriptions become one, and then CATALOG and ANNOTATIONS hold what it names.
Status settleLedger(EngineState& state) {
  std::vector<std::pair<std::string, Descriptor>> pending;
  for (const auto& one : state.activeDescriptors) pending.emplace_back(one.metric, one.descriptor);
  const auto manifest = state.manifest.hold();
  const auto told = manifest->settle(pending);
  if (!told.ok()) return told.status();
  state.health.report("commits", told.value());
  state.health.report("ledger", manifest->behindReason());
  const auto seriesCount = static_cast<std::uint32_t>(manifest->state().seriesCount);
  if (state.catalog == nullptr) {
    const auto index = state.index.current();
    auto catalog = Catalog::replace(state.fs, state.options.directory, *index, seriesCount);
    if (!catalog.ok()) return catalog.status();
    state.catalog = std::move(catalog).value();
  }
  if (!manifest->isFromCommit()) return {};
  return state.annotationLog.append(state.annotations, manifest->state().annotationCount);
}

Status createDatabase(EngineState& state) {
  FileSystem& fs = state.fs;
  const std::string& directory = state.options.directory;
  for (const auto folder : {file_names::kSegmentDirectory, file_names::kWalDirectory}) {
    const Status made = fs.makeDirectory(state.path(folder));
    if (!made.ok()) return made;
  }
  const Status cleared = clearUnfinishedCreation(state);
  if (!cleared.ok()) return cleared;
  auto catalog = Catalog::create(fs, directory);
  if (!catalog.ok()) return catalog.status();
  auto ledger = ledgerOf(state);
  const Status described = ledger->create();
  if (!described.ok()) return described;
  auto wal =
      WalWriter::create(fs, state.path(file_names::kWalDirectory), 1, state.nextSequence);
  if (!wal.ok()) return wal.status();
  state.root = {state.options.unit, makeDatabaseId(), kRootGoneSeries, 0};
  const Status rooted = writeRoot(fs, directory, state.root);
  if (!rooted.ok()) return rooted;
  state.catalog = std::move(catalog).value();
  state.manifest.set(std::move(ledger));
  state.wal = std::move(wal).value();
  state.counters.walNumber = state.wal->number();
  return settleLedger(state);
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
              std::string(unitName(state.root.unit)) + "\", but \"" +
              std::string(unitName(state.options.unit)) + "\" was asked for"};
}

// Of a database of before: its id, and what a program must know of to read it from now on.
Status nameDatabase(EngineState& state) {
  if (state.root.id && (state.root.toRead & kRootGoneSeries) != 0) return {};
  RootFacts named = state.root;
  if (!named.id) named.id = makeDatabaseId();
  named.toRead |= kRootGoneSeries;
  Status written = writeRoot(state.fs, state.options.directory, named);
  // Where there is no room it stays as it is until the next start.
  if (written.code() == StatusCode::kStorageUnavailable) return {};
  if (written.ok()) state.root = named;
  return written;
}

// What the log holds came later.
Result<WalEnd> replay(EngineState& state) {
  if (!isPast(state)) return replayWal(state);
  const auto manifest = state.manifest.hold();
  state.nextSequence = manifest->state().flushedSequence + 1;
  return WalEnd{manifest->state().walFloor, 0};
}

// A series that CATALOG does not know means that it is not the one of these files.
Status missingSeries(const EngineState& state, SeriesRef ref, const std::string& namedBy) {
  return Status::corrupt(state.path(file_names::kCatalog) + ": series number " +
                         std::to_string(ref) + " is missing, but " + namedBy + " names it");
}

// Whether the file is whole, and not the one that MANIFEST means.
bool isAnother(EngineState& state, const SegmentFacts& facts) {
  const auto found = readSegmentIdentity(state.fs, state.path(segmentFileOf(facts)));
  return found.ok() && found.value().fileCrc != facts.fileCrc;
}

std::uint32_t createdCount(const EngineState& state) {
  const auto index = state.index.current();
  return index->createdCount();
}

// The bounds of the series, from the directory.
Status noteSeries(EngineState& state, const Segment& segment) {
  const auto index = state.index.writable();
  std::vector<ChunkEntry> chunks;
  for (std::size_t page = 0; page < segment.pageCount(); ++page) {
    const Status read = segment.readPage(page, chunks);
    if (!read.ok()) return read;
    for (const ChunkEntry& chunk : chunks) {
      if (chunk.series >= index->createdCount()) {
        return missingSeries(state, chunk.series, segmentNameOf(segment.facts()));
      }
      index->noteSamples(chunk.series, chunk.summary.tsMin, chunk.summary.tsMax);
    }
  }
  return Status::okStatus();
}

// A damaged segment stays where it is: the rest is served, and queries of its time range are
// refused. One that could not be looked at for want of descriptors may be whole: the start is
// refused.
Status openSegments(EngineState& state) {
  std::vector<std::shared_ptr<const Segment>> opened;
  bool isAnyAnother = false;
  std::vector<SegmentFacts> damaged;
  const auto manifest = state.manifest.hold();
  for (const SegmentFacts& facts : manifest->state().segments) {
    auto segment = state.openSegment(facts);
    if (segment.status().code() == StatusCode::kExhausted) return segment.status();
    if (!segment.ok()) {
      state.health.report(segmentNameOf(facts), segment.status().message());
      damaged.push_back(facts);
      isAnyAnother = isAnyAnother || isAnother(state, facts);
      continue;
    }
    const Status noted = noteSeries(state, *segment.value());
    if (!noted.ok()) return noted;
    opened.push_back(std::move(segment).value());
  }
  if (opened.empty() && isAnyAnother) {
    return Status::corrupt(state.path(manifest->decidingFile()) +
                           " names other segments than those that are there and whole: it is of "
                           "another database");
  }
  const std::uint32_t known = createdCount(state);
  for (const auto& tombstone : manifest->state().tombstones) {
    if (tombstone->refs.back() < known) continue;
    return missingSeries(state, tombstone->refs.back(),
                         "a deletion in " + manifest->decidingFile());
  }
  std::sort(opened.begin(), opened.end(),
            [](const auto& a, const auto& b) { return isBefore(a->facts(), b->facts()); });
  state.view.update([&](View& view) {
    view.segments = std::move(opened);
    view.damaged = std::move(damaged);
    view.tombstones = TombstoneList(manifest->state().tombstones);
  });
  return Status::okStatus();
}

// Chunk directories and records tell of samples that were deleted since, too.
void narrowBounds(EngineState& state) {
  const auto view = state.view.current();
  std::vector<SeriesRef> refs;
  for (const auto& one : view->tombstones.all()) {
    refs.insert(refs.end(), one->refs.begin(), one->refs.end());
  }
  std::sort(refs.begin(), refs.end());
  refs.erase(std::unique(refs.begin(), refs.end()), refs.end());
  const auto index = state.index.writable();
  renewBounds(*index, *view, refs);
}

// The WAL files that held these annotations are gone, so a file with fewer has lost some.
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

// What the index and the annotations hold but for the log.
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

// Without them there is no telling what the other files are.
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
  state.catalogSeriesCount = createdCount(state);
  const Status annotated = openAnnotations(state);
  if (!annotated.ok()) return annotated;
  const Status opened = openSegments(state);
  if (!opened.ok()) return opened;
  const Status compared = compareLedger(state);
  if (!compared.ok()) return compared;
  const auto end = replay(state);
  if (!end.ok()) return end.status();
  // Those of later states among them; and while a backup is renewed, some that are yet to be named.
  const Status known = isPast(state) ? Status() : checkUnnamedSegments(state);
  if (!known.ok()) return known;
  // Here nobody waits, and rows in which nothing is pending cost no reader anything.
  const auto recovered = state.view.current();
  while (recovered->active->carryOut()) continue;
  narrowBounds(state);
  if (state.options.isReadOnly) return Status::okStatus();
  // Last: nothing is removed from a directory that cannot be opened.
  state.counters.walNumber = end.value().number;
  Status settled = settleLedger(state);
  if (settled.ok()) settled = resumeWal(state, end.value());
  if (settled.ok()) settled = nameDatabase(state);
  return settled.ok() ? removeUnnamedSegments(state) : settled;
}

// Of a backup and of a state of the past commits tell all that is told.
EngineOptions optionsFor(FileSystem& fs, EngineOptions options) {
  const auto root = readRoot(fs, options.directory);
  const bool isBackup = root.ok() && root.value().isBackup();
  CHECK(!options.isAny() || options.isReadOnly);
  if (!isBackup && !options.isAny()) return options;
  options.casMode = CasMode::kDualWrite;
  options.metadataReadMode = MetadataReadMode::kPrimary;
  return options;
}

}  // namespace

Status noDatabase(const std::string& directory) {
  return Status::io("there is no database in " + directory);
}

Result<std::unique_ptr<DirectoryLock>> lockClosed(FileSystem& fs, const std::string& directory) {
  bool isAny = false;
  for (const auto name : {file_names::kRoot, file_names::kManifest}) {
    const auto exists = fs.exists(file_names::join(directory, name));
    if (!exists.ok()) return exists.status();
    isAny = isAny || exists.value();
  }
  if (!isAny) return noDatabase(directory);
  return fs.lock(file_names::join(directory, file_names::kLock));
}

Result<std::unique_ptr<EngineState>> openState(FileSystem& fs, const EngineOptions& options) {
  auto state = std::make_unique<EngineState>(fs, optionsFor(fs, options));
  const Status locked = lockDirectory(*state);
  if (!locked.ok()) return locked;
  if (options.allocator == Allocator::kSmallPool) state->pool = std::make_shared<SmallPool>();
  state->view.update([&state](View& view) { view.active = state->makeMemtable(); });
  const auto hasRoot = fs.exists(state->path(file_names::kRoot));
  if (!hasRoot.ok()) return hasRoot.status();
  if (!hasRoot.value() && options.isReadOnly) return noDatabase(options.directory);
  const Status opened = hasRoot.value() ? recoverDatabase(*state) : createDatabase(*state);
  if (!opened.ok()) return opened;
  if (!options.isReadOnly) static_cast<void>(state->reserve.restore());
  reportSegmentCount(*state);
  const auto manifest = state->manifest.hold();
  state->nextSegment = std::max(manifest->state().nextSegment, firstFreeSegment(*state));
  state->loggedSeriesCount = createdCount(*state);
  if (state->wal) state->counters.walNumber = state->wal->number();
  state->counters.walOldest = manifest->state().walFloor;
  state->counters.walOutlived.store(state->counters.walNumber);
  if (options.counted) countPast(*state);
  return state;
}

}  // namespace seriesdb
