#include "storage/engine/creation.h"

#include <utility>

#include "common/types/file_names.h"
#include "format/log/wal_reader.h"
#include "storage/compactor/unnamed_segments.h"
#include "storage/engine/ledger_opening.h"
#include "storage/engine/wal_replay.h"
#include "storage/ledger/root_file.h"

namespace seriesdb {
namespace {

// Removes an unfinished creation: a manifest, a catalog and a WAL without records. If there is more
// data but no ROOT, the database lost its ROOT, and must not be taken for a new one.
Status clearUnfinishedCreation(const EngineSettings& settings) {
  const auto missingRoot = [&](const std::string& found) {
    return Status::corrupt(settings.path(file_names::kRoot) + " is missing, but " + found +
                           " holds data; restore the file or choose another directory");
  };
  for (const auto folder : {file_names::kSegmentDirectory, file_names::kWalDirectory}) {
    const auto names = settings.fs.list(settings.path(folder));
    if (!names.ok()) continue;
    for (const std::string& name : names.value()) {
      const std::string path = file_names::join(settings.path(folder), name);
      const auto number = file_names::walNumber(name);
      if (!number || *number != 1) return missingRoot(path);
      const auto report = readWalFile(settings.fs, path, *number,
                                      [](const LogRecord&) { return Status::okStatus(); });
      if (!report.ok() || !report.value().isUnused()) return missingRoot(path);
      const Status removed = settings.fs.remove(path);
      if (!removed.ok()) return removed;
    }
  }
  const std::string object = firstObject(settings);
  if (!object.empty()) return missingRoot(object);
  const auto hasRefs = settings.fs.exists(settings.path(file_names::kRefs));
  if (!hasRefs.ok()) return hasRefs.status();
  if (hasRefs.value()) return missingRoot(settings.path(file_names::kRefs));
  for (const auto& [name, kind] : {std::pair{file_names::kManifest, LogKind::kManifest},
                                   std::pair{file_names::kCatalog, LogKind::kCatalog},
                                   std::pair{file_names::kAnnotations, LogKind::kAnnotations}}) {
    const std::string path = settings.path(name);
    const auto exists = settings.fs.exists(path);
    if (!exists.ok()) return exists.status();
    if (!exists.value()) continue;
    const auto bytes = settings.fs.readAll(path);
    if (!bytes.ok()) return bytes.status();
    if (bytes.value().size() > kEmptyLogSizeMax) return missingRoot(path);
    const Status removed = settings.fs.remove(path);
    if (!removed.ok()) return removed;
  }
  return Status::okStatus();
}

}  // namespace

Status createDatabase(EngineOwners& owners) {
  FileSystem& fs = owners.settings.fs;
  const std::string& directory = owners.settings.options.directory;
  for (const auto folder : {file_names::kSegmentDirectory, file_names::kWalDirectory}) {
    const Status made = fs.makeDirectory(owners.settings.path(folder));
    if (!made.ok()) return made;
  }
  const Status cleared = clearUnfinishedCreation(owners.settings);
  if (!cleared.ok()) return cleared;
  auto catalog = Catalog::create(fs, directory);
  if (!catalog.ok()) return catalog.status();
  auto ledger = ledgerOf(owners.settings, owners.sources, owners.figures);
  const Status described = ledger->create();
  if (!described.ok()) return described;
  auto wal = WalWriter::create(fs, owners.settings.path(file_names::kWalDirectory), 1,
                               owners.writes.nextSequence);
  if (!wal.ok()) return wal.status();
  owners.settings.root = {owners.settings.options.unit, makeDatabaseId(), kRootWritten, 0};
  const Status rooted = writeRoot(fs, directory, owners.settings.root);
  if (!rooted.ok()) return rooted;
  owners.logs.catalog = std::move(catalog).value();
  owners.description.manifest.set(std::move(ledger));
  owners.writes.wal = std::move(wal).value();
  owners.figures.counters.walNumber = owners.writes.wal->number();
  const auto manifest = owners.description.manifest.hold();
  Status settled = settleLedger(owners.settings, manifest, owners.writes.activeDescriptors,
                                owners.figures.health);
  if (!settled.ok()) return settled;
  return settleLogs(owners.settings, owners.sources, manifest, owners.logs);
}

}  // namespace seriesdb
