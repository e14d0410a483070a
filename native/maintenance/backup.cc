#include "maintenance/backup.h"

#include "maintenance/inspect/refs_reading.h"

namespace seriesdb {

Result<CopySource> Backup::openSource() {
  if (!ofDatabase_.id) {
    return Status(StatusCode::kStorageUnavailable,
                  directory_ + " has no database id: its disk was full when the server started");
  }
  auto files = hold_();
  if (!files.ok()) return files.status();
  return CopySource{&fs(), directory_, std::move(files).value()};
}

Result<RootFacts> Backup::rootOver(const std::optional<RootFacts>& there) {
  if (there && !there->isBackup()) {
    return Status(StatusCode::kConfiguration, target() + " holds a database, not a backup of one");
  }
  if (there && there->id != ofDatabase_.id) {
    return Status(StatusCode::kConfiguration, target() + " is a backup of another database");
  }
  return RootFacts{ofDatabase_.unit, ofDatabase_.id, 0, kRootBackup};
}

Result<std::vector<const NamedState*>> Backup::chooseStates() {
  std::vector<const NamedState*> all;
  for (const NamedState& one : refs().states) all.push_back(&one);
  return all;
}

}  // namespace seriesdb
