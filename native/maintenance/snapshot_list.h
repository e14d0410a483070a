// The snapshots of a database, by name, as lines of JSON:
//
//   {"name":"before","time_ms":…,"series":…,"segments":…,"samples":…,"bytes":…,"own_bytes":…}
//
// `own_bytes` counts the segments that only this snapshot keeps, which its deletion frees. Changes
// nothing; the database may be open.
#pragma once

#include <string>
#include <utility>

#include "common/file/file_system.h"
#include "query/answers/json_reader.h"

namespace seriesdb {

class SnapshotList final : public JsonReader {
 public:
  // `isLive`: this process has the database open. Otherwise next() fails with kLocked if another
  // process has it open.
  SnapshotList(FileSystem& fs, std::string directory, bool isLive)
      : fs_(fs), directory_(std::move(directory)), isLive_(isLive) {}

  Status next(std::string& piece) override;
  bool isShort() const override { return false; }
  Stage stage() const override { return Stage::kVerify; }

 private:
  FileSystem& fs_;
  const std::string directory_;
  const bool isLive_;
  bool isDone_ = false;
};

}  // namespace seriesdb
