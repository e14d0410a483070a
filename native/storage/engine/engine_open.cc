#include "storage/engine/engine_open.h"

#include <algorithm>
#include <utility>

#include "bucket/bucket_file.h"
#include "common/types/file_names.h"
#include "storage/compactor/segments/level_zero.h"
#include "storage/compactor/unnamed_segments.h"
#include "storage/engine/creation.h"
#include "storage/engine/recovery.h"
#include "storage/ledger/root_file.h"

namespace seriesdb {
namespace {

Status lockDirectory(EngineSettings& settings) {
  if (settings.options.isLockHeld) return {};
  Status made = settings.fs.makeDirectory(settings.options.directory);
  if (!made.ok()) return made;
  auto lock = settings.fs.lock(settings.path(file_names::kLock));
  if (!lock.ok()) return lock.status();
  settings.lock = std::move(lock).value();
  return Status::okStatus();
}

// A directory whose log is not copied goes its own way from here on, and is no state of its bucket
// any more. kConfiguration: the database has yet to come from the bucket.
Status leaveBucket(const EngineSettings& settings) {
  if (settings.options.isReadOnly || settings.options.copy) return {};
  const auto file = readBucketFile(settings.fs, settings.options.directory);
  if (!file.ok() || !file.value()) return file.status();
  if (!isUnfinished(file.value()->state)) {
    return removeBucketFile(settings.fs, settings.options.directory);
  }
  return {StatusCode::kConfiguration,
          settings.options.directory + " was about to get its database from a bucket: start the " +
              "server with that --bucket, or take what stands in its quarantine"};
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

Result<std::unique_ptr<EngineOwners>> openDatabase(FileSystem& fs, const EngineOptions& options) {
  auto owners = std::make_unique<EngineOwners>(fs, optionsFor(fs, options));
  Sources& sources = owners->sources;
  const Status locked = lockDirectory(owners->settings);
  if (!locked.ok()) return locked;
  if (options.allocator == Allocator::kSmallPool) {
    sources.blocks = std::make_shared<BlockFigures>();
  }
  if (const Status left = leaveBucket(owners->settings); !left.ok()) return left;
  sources.view.update([&sources](View& view) { view.active = sources.makeMemtable(); });
  const auto hasRoot = fs.exists(owners->settings.path(file_names::kRoot));
  if (!hasRoot.ok()) return hasRoot.status();
  if (!hasRoot.value() && options.isReadOnly) return noDatabase(options.directory);
  const Status opened = hasRoot.value() ? recoverDatabase(*owners) : createDatabase(*owners);
  if (!opened.ok()) return opened;
  if (!options.isReadOnly) static_cast<void>(owners->room.reserve.restore());
  reportSegmentCount(owners->description.manifest, options.segmentCountMax, owners->figures.health);
  const auto manifest = owners->description.manifest.hold();
  owners->description.nextSegment =
      std::max({manifest->state().nextSegment, firstFreeSegment(owners->settings),
                options.segmentNumberMin});
  WritePath& writes = owners->writes;
  writes.loggedSeriesCount = sources.createdCount();
  Counters& counters = owners->figures.counters;
  if (writes.wal) counters.walNumber = writes.wal->number();
  counters.walOldest = manifest->state().walFloor;
  counters.walOutlived.store(counters.walNumber);
  if (options.counted) {
    countPast(sources, memoryUseOf(sources, writes.activeDescriptors, owners->figures));
  }
  return owners;
}

}  // namespace seriesdb
