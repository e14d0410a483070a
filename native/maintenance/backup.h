// A backup: a directory that holds only the commits of a database, its snapshots included. It is
// readable like a database. Only a backup of the same database changes it; it copies only new
// objects. See docs/format/objects.md.
#pragma once

#include <functional>
#include <string>
#include <utility>

#include "maintenance/database_copy.h"

namespace seriesdb {

class Backup final : public DatabaseCopy {
 public:
  using Hold = std::function<Result<CommittedFiles>()>;

  // `hold` pins the committed files of `directory` when the backup begins. `root` is the
  // database's.
  Backup(FileSystem& fs, std::string directory, RootFacts root, Hold hold, std::string target)
      : DatabaseCopy(fs, std::move(target)),
        directory_(std::move(directory)),
        ofDatabase_(root),
        hold_(std::move(hold)) {}

 private:
  Result<CopySource> openSource() override;
  Result<RootFacts> rootOver(const std::optional<RootFacts>& there) override;
  Result<std::vector<const NamedState*>> chooseStates() override;
  Status complete() override { return {}; }

  const std::string directory_;
  const RootFacts ofDatabase_;
  const Hold hold_;
};

}  // namespace seriesdb
