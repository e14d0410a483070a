// Restores a backup, or one of its snapshots, into an empty directory. The new database has another
// id, so its backups and those of the original stay separate.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "maintenance/database_copy.h"

namespace seriesdb {

class ObjectReader;
class RefsLog;
struct RefMove;

class Restore final : public DatabaseCopy {
 public:
  // `readFs` is read-only and reads `backup`. Without a snapshot name it restores the last state
  // with all snapshots; otherwise that snapshot with the earlier ones. next() fails with
  // kSnapshotNotFound if no snapshot has that name.
  Restore(FileSystem& readFs, std::string backup, std::optional<std::string> snapshot,
          FileSystem& fs, std::string target);
  ~Restore() override;

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
  const NamedState* chosen_ = nullptr;  // Points into refs().
  std::vector<RefMove> dropped_;        // Moves of the later snapshots.
};

}  // namespace seriesdb
