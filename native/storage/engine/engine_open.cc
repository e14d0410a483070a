#include "storage/engine/engine_open.h"

#include <algorithm>
#include <utility>

#include "common/types/file_names.h"
#include "storage/compactor/segments/level_zero.h"
#include "storage/compactor/unnamed_segments.h"
#include "storage/engine/creation.h"
#include "storage/engine/recovery.h"
#include "storage/ledger/root_file.h"

namespace seriesdb {
namespace {

Status lockDirectory(EngineState& state) {
  if (state.options.isLockHeld) return {};
  Status made = state.fs.makeDirectory(state.options.directory);
  if (!made.ok()) return made;
  auto lock = state.fs.lock(state.path(file_names::kLock));
  if (!lock.ok()) return lock.status();
  state.lock = std::move(lock).value();
  return Status::okStatus();
}

// A backup or a past state is described by commits alone.
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
  state->loggedSeriesCount = state->createdCount();
  if (state->wal) state->counters.walNumber = state->wal->number();
  state->counters.walOldest = manifest->state().walFloor;
  state->counters.walOutlived.store(state->counters.walNumber);
  if (options.counted) countPast(*state);
  return state;
}

}  // namespace seriesdb
