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

}  // namespace

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
  state.root = {state.options.unit, makeDatabaseId(), kRootWritten, 0};
  const Status rooted = writeRoot(fs, directory, state.root);
  if (!rooted.ok()) return rooted;
  state.catalog = std::move(catalog).value();
  state.manifest.set(std::move(ledger));
  state.wal = std::move(wal).value();
  state.counters.walNumber = state.wal->number();
  return settleLedger(state);
}

}  // namespace seriesdb
