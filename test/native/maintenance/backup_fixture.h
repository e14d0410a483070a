// Helpers for tests of snapshots, backups and restores.
#pragma once

#include <filesystem>
#include <future>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "common/file/read_only_file_system.h"
#include "maintenance/backup.h"
#include "maintenance/restore.h"
#include "maintenance/snapshot_list.h"
#include "storage/ledger/ledger_fixture.h"

namespace seriesdb::test {

namespace files = std::filesystem;

inline Status snapshot(Database& database, const std::string& name, bool isNew = true) {
  std::promise<Status> answer;
  const auto done = [&answer](const Status& status) { answer.set_value(status); };
  isNew ? database.engine().createSnapshot(name, done)
        : database.engine().deleteSnapshot(name, done);
  return answer.get_future().get();
}

// All lines of the report, or the error.
inline Result<std::string> run(JsonReader& reader) {
  std::string text;
  std::string piece;
  do {
    const Status read = reader.next(piece);
    if (!read.ok()) return read;
    text += piece;
  } while (!piece.empty());
  return text;
}

inline Result<std::string> listed(const Database& database, bool isLive = true) {
  SnapshotList list(readOnlyFileSystem(), database.options.directory, isLive);
  return run(list);
}

inline Result<std::string> backUp(Database& database, const std::string& target,
                                  FileSystem& fs = posixFileSystem()) {
  CHECK(database.flush().ok());
  Backup backup(
      fs, database.options.directory, database.engine().root(),
      [&database] { return database.engine().holdFiles(); }, target);
  return run(backup);
}

inline Result<std::string> restored(const std::string& backup, const std::string& target,
                                    std::optional<std::string> name = {},
                                    FileSystem& fs = posixFileSystem()) {
  Restore restore(readOnlyFileSystem(), backup, std::move(name), fs, target);
  return run(restore);
}

inline bool isIn(std::string_view part, const Result<std::string>& told) {
  const std::string& text = told.ok() ? told.value() : told.status().message();
  return text.find(part) != std::string::npos;
}

inline std::string freshPath(std::string_view name) {
  return temporaryDirectory() + "/" + std::string(name);
}

// The content of a directory that no process has open.
inline std::string contentIn(const std::string& directory, FileSystem& fs = posixFileSystem()) {
  Database database(fs);
  database.options.directory = directory;
  CHECK(database.open().ok());
  return contentOf(database);
}

// The content of a backup, read from a database restored from it.
inline std::string contentOfBackup(const std::string& backup, std::optional<std::string> name = {},
                                   FileSystem& fs = posixFileSystem()) {
  const std::string target = freshPath("restored");
  CHECK(restored(backup, target, std::move(name), fs).ok());
  return contentIn(target, fs);
}

inline std::size_t countOf(std::string_view part, const std::string& text) {
  std::size_t count = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) {
    ++count;
  }
  return count;
}

// Replaces everything in the database.
inline void replaceAll(Database& database, int from) {
  const auto pinned = database.engine().index();
  const SeriesIndex& index = *pinned;
  std::vector<SeriesId> ids;
  for (SeriesRef ref = 0; ref < index.createdCount(); ++ref) ids.push_back(index.idOf(ref));
  REQUIRE(database.remove(std::move(ids), kAllTime).ok());
  fill(database, from);
  REQUIRE(database.compact().ok());
}

}  // namespace seriesdb::test
