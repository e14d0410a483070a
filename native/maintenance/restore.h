// Makes a database of a backup, or of one of its snapshots, in an empty directory. It has another
// id: backups of the one cannot become those of the other.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "maintenance/database_copy.h"
#include "maintenance/inspect/refs_reading.h"

namespace seriesdb {

class Restore final : public DatabaseCopy {
 public:
  // `readFs` only reads, in `backup`. Without a name of a snapshot the last state is restored, with
  // all snapshots; else with those before it. next() fails with kSnapshotNotFound where there is
  // none of that name.
  Restore(FileSystem& readFs, std::string backup, std::optional<std::string> snapshot,
          FileSystem& fs, std::string target)
      : DatabaseCopy(fs, std::move(target)),
        readFs_(readFs),
        backup_(std::move(backup)),
        snapshot_(std::move(snapshot)) {}

 private:
  Result<RootFacts> rootOfBackup() const;
  Result<CopySource> openSource() override;
  Result<RootFacts> rootOver(const std::optional<RootFacts>& there) override;
  Result<std::vector<const NamedState*>> chooseStates() override;
  Status complete() override;
  Status moveHead(RefsLog& log);
  Status writeDescriptions(const ObjectReader& objects);
  Status writeLog();

  FileSystem& readFs_;
  const std::string backup_;
  const std::optional<std::string> snapshot_;
  std::unique_ptr<DirectoryLock> lock_;
  TimestampUnit unit_ = TimestampUnit::kMilliseconds;
  const NamedState* chosen_ = nullptr;  // In refs().
  std::vector<RefMove> dropped_;        // Of snapshots that came later.
};

}  // namespace seriesdb
