// Snapshots keep what they name; backups and what is restored of them are the database that was
// copied, also where a copy failed and was done again.
#include "care/backup.h"

#include <algorithm>
#include <filesystem>
#include <vector>

#include "base/read_only_file_system.h"
#include "care/inspection.h"
#include "care/restore.h"
#include "care/snapshot_list.h"
#include "care/verification.h"
#include "engine/ledger_fixture.h"

using namespace seriesdb;
using namespace seriesdb::test;

namespace {

namespace files = std::filesystem;

Status snapshot(Database& database, const std::string& name, bool isNew = true) {
  std::promise<Status> answer;
  const auto done = [&answer](const Status& status) { answer.set_value(status); };
  isNew ? database.engine().createSnapshot(name, done)
        : database.engine().deleteSnapshot(name, done);
  return answer.get_future().get();
}

// All lines, or what came in the way.
Result<std::string> run(JsonReader& reader) {
  std::string text;
  std::string piece;
  do {
    const Status read = reader.next(piece);
    if (!read.ok()) return read;
    text += piece;
  } while (!piece.empty());
  return text;
}

Result<std::string> listed(const Database& database, bool isLive = true) {
  SnapshotList list(readOnlyFileSystem(), database.options.directory, isLive);
  return run(list);
}

Result<std::string> backUp(Database& database, const std::string& target,
                           FileSystem& fs = posixFileSystem()) {
  CHECK(database.flush().ok());
  Backup backup(fs, database.options.directory, database.engine().root(),
                [&database] { return database.engine().holdFiles(); }, target);
  return run(backup);
}

Result<std::string> restored(const std::string& backup, const std::string& target,
                             std::optional<std::string> name = {},
                             FileSystem& fs = posixFileSystem()) {
  Restore restore(readOnlyFileSystem(), backup, std::move(name), fs, target);
  return run(restore);
}

bool isIn(std::string_view part, const Result<std::string>& told) {
  const std::string& text = told.ok() ? told.value() : told.status().message();
  return text.find(part) != std::string::npos;
}

std::string freshPath(std::string_view name) {
  return temporaryDirectory() + "/" + std::string(name);
}

// Of a directory that nobody has open.
std::string contentIn(const std::string& directory) {
  Database database;
  database.options.directory = directory;
  CHECK(database.open().ok());
  return contentOf(database);
}

// What a backup holds, told by a database that is made of it.
std::string contentOfBackup(const std::string& backup, std::optional<std::string> name = {}) {
  const std::string target = freshPath("restored");
  CHECK(restored(backup, target, std::move(name)).ok());
  return contentIn(target);
}

std::size_t countOf(std::string_view part, const std::string& text) {
  std::size_t count = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) {
    ++count;
  }
  return count;
}

// Everything else than what is there now.
void replaceAll(Database& database, int from) {
  const SeriesIndex& index = database.engine().index();
  std::vector<SeriesId> ids;
  for (SeriesRef ref = 0; ref < index.createdCount(); ++ref) ids.push_back(index.idOf(ref));
  REQUIRE(database.remove(std::move(ids), kAllTime).ok());
  fill(database, from);
  REQUIRE(database.compact().ok());
}

}  // namespace

TEST("a snapshot keeps its files until it is deleted, whatever else comes and goes") {
  Database database;
  REQUIRE(database.open().ok());
  fill(database, 0);
  REQUIRE(snapshot(database, "first").ok());
  const std::vector<std::string> kept = database.segmentPaths();
  const std::string content = contentOf(database);
  replaceAll(database, 20);
  REQUIRE(snapshot(database, "second").ok());
  for (const std::string& path : kept) EXPECT(files::exists(path));
  const auto told = listed(database);
  REQUIRE(told.ok());
  EXPECT(told.value().find(R"({"name":"first","time_ms":)") == 0);
  EXPECT(countOf("\n", told.value()) == 2 && isIn(R"("name":"second")", told));
  EXPECT(countOf(R"("own_bytes":0})", told.value()) == 1);
  EXPECT(database.stat("snapshots") == 2);

  REQUIRE(database.open().ok());
  for (const std::string& path : kept) EXPECT(files::exists(path));
  const std::string backup = freshPath("backup");
  REQUIRE(backUp(database, backup).ok());
  EXPECT(contentOfBackup(backup, "first") == content);

  REQUIRE(snapshot(database, "first", false).ok());
  for (const std::string& path : kept) EXPECT(!files::exists(path));
  EXPECT(snapshot(database, "second", false).ok());
  const auto now = listed(database);
  EXPECT(now.ok() && now.value().empty());
  EXPECT(database.stat("snapshots") == 0);
  EXPECT(!contentOf(database).empty());
}

TEST("names of snapshots are refused where they are given, unknown or none") {
  Database database;
  REQUIRE(database.open().ok());
  fill(database, 0);
  REQUIRE(snapshot(database, "a").ok());
  EXPECT(snapshot(database, "a").code() == StatusCode::kSnapshotExists);
  EXPECT(snapshot(database, "b", false).code() == StatusCode::kSnapshotNotFound);
  for (const char* name : {"", ".", "../a", "a/b", "-a", "a.tmp", "a b", "\xc3\xa9"}) {
    EXPECT(snapshot(database, name).code() == StatusCode::kInvalidArgument);
    EXPECT(snapshot(database, name, false).code() == StatusCode::kInvalidArgument);
  }
  EXPECT(snapshot(database, std::string(128, 'x')).ok());
  EXPECT(snapshot(database, std::string(129, 'x')).code() == StatusCode::kInvalidArgument);
  database.options.casMode = CasMode::kOff;
  database.options.metadataReadMode = MetadataReadMode::kLegacy;
  REQUIRE(database.open().ok());
  EXPECT(snapshot(database, "c").code() == StatusCode::kConfiguration);
}

TEST("a file that a snapshot no longer keeps stays while a read that began before may use it") {
  Database database;
  REQUIRE(database.open().ok());
  fill(database, 0);
  REQUIRE(snapshot(database, "a").ok());
  const std::vector<std::string> kept = database.segmentPaths();
  {
    const auto view = database.engine().pinFiles();
    replaceAll(database, 20);
    REQUIRE(snapshot(database, "a", false).ok());
    for (const std::string& path : kept) EXPECT(files::exists(path));
  }
  REQUIRE(database.compact().ok());
  for (const std::string& path : kept) EXPECT(!files::exists(path));
}

TEST("what is restored of a backup is the database that it was made of, in every mode") {
  Database database;
  REQUIRE(database.open().ok());
  fill(database, 0);
  fill(database, 10);
  REQUIRE(database.ingest(line("unflushed", 1, 1)).ok());
  const std::string content = contentOf(database);
  const std::string backup = freshPath("backup");
  REQUIRE(backUp(database, backup).ok());
  for (const MetadataReadMode mode : kReadModes) {
    Database copy;
    copy.options.directory = freshPath("restored");
    copy.options.metadataReadMode = mode;
    const auto told = restored(backup, copy.options.directory);
    REQUIRE(told.ok());
    REQUIRE(copy.open().ok());
    EXPECT(contentOf(copy) == content);
    expectSettled(copy);
    EXPECT(copy.engine().root().id && copy.engine().root().id != database.engine().root().id);
    // It lives on like any other.
    fill(copy, 30);
    const std::string more = contentOf(copy);
    EXPECT(more != content);
    expectSameInAllModes(copy, more);
  }
}

TEST("a backup is renewed by what is new, and what it no longer needs goes") {
  Database database;
  REQUIRE(database.open().ok());
  fill(database, 0);
  const std::string backup = freshPath("backup");
  const auto first = backUp(database, backup);
  REQUIRE(first.ok());
  const auto again = backUp(database, backup);
  EXPECT(isIn(R"("kind":"plan","files":0,"bytes":0)", again));
  fill(database, 10);
  const auto more = backUp(database, backup);
  EXPECT(isIn(R"("present":)", more) && !isIn(R"("present":0)", more));
  EXPECT(isIn(R"("removed":0)", more));
  EXPECT(contentOfBackup(backup) == contentOf(database));
  replaceAll(database, 20);
  const auto other = backUp(database, backup);
  EXPECT(other.ok() && !isIn(R"("removed":0)", other));
  EXPECT(contentOfBackup(backup) == contentOf(database));
  Database kept;
  kept.options.directory = backup;
  EXPECT(kept.segmentPaths().size() == database.segmentPaths().size());
}

TEST("a backup is read and verified as a database is, and nothing else writes to it") {
  Database database;
  REQUIRE(database.open().ok());
  fill(database, 0);
  const std::string content = contentOf(database);
  const std::string backup = freshPath("backup");
  REQUIRE(backUp(database, backup).ok());
  Database opened;
  opened.options.directory = backup;
  EXPECT(opened.open().code() == StatusCode::kConfiguration);
  Verification verification(readOnlyFileSystem(), backup);
  EXPECT(isIn(R"("kind":"end","status":"ok")", run(verification)));
  Inspection inspection(readOnlyFileSystem(), backup, {InspectionPart::kManifest, {}});
  EXPECT(isIn(R"("segments":)", run(inspection)));
  Database reading(readOnlyFileSystem());
  reading.options.directory = backup;
  reading.options.isReadOnly = true;
  reading.options.metadataReadMode = MetadataReadMode::kLegacy;
  REQUIRE(reading.open().ok());
  EXPECT(contentOf(reading) == content);
  reading.close();
  EXPECT(!files::exists(backup + "/MANIFEST") && !files::exists(backup + "/wal"));

  const std::string path = opened.segmentPaths().front();
  ByteBuffer bytes = test::contentOf(path);
  bytes[bytes.size() / 2] ^= 1;
  overwrite(path, bytes);
  Verification after(readOnlyFileSystem(), backup);
  EXPECT(isIn(R"("kind":"end","status":"damaged")", run(after)));
  const auto told = restored(backup, freshPath("restored"));
  EXPECT(told.status().code() == StatusCode::kStorageCorrupt && isIn(path, told));
}

TEST("neither a backup nor a restore touches what is something else") {
  Database database;
  REQUIRE(database.open().ok());
  fill(database, 0);
  const std::string backup = freshPath("backup");
  REQUIRE(backUp(database, backup).ok());
  Database other;
  REQUIRE(other.open().ok());
  fill(other, 5);
  EXPECT(isIn("another database", backUp(other, backup)));
  EXPECT(backUp(database, database.options.directory).status().code() ==
         StatusCode::kConfiguration);
  const std::string foreign = freshPath("foreign");
  files::create_directory(foreign);
  REQUIRE(posixFileSystem().create(foreign + "/notes").ok());
  EXPECT(isIn("notes", backUp(database, foreign)));
  EXPECT(isIn("notes", restored(backup, foreign)));
  EXPECT(isIn("holds a database", restored(backup, other.options.directory)));
  EXPECT(isIn("is no backup", restored(other.options.directory, freshPath("restored"))));
  EXPECT(isIn("no database", restored(freshPath("nothing"), freshPath("restored"))));
  EXPECT(restored(backup, freshPath("restored"), "unknown").status().code() ==
         StatusCode::kSnapshotNotFound);
  EXPECT(contentOfBackup(backup) == contentOf(database));
}

namespace {

constexpr std::array kCopyOperations = {
    Operation::kCreate, Operation::kAppend,        Operation::kSync,    Operation::kRename,
    Operation::kRemove, Operation::kSyncDirectory, Operation::kOpenRead};

}  // namespace

TEST("a backup that fails anywhere leaves the one before, and another one ends it") {
  Database database;
  REQUIRE(database.open().ok());
  fill(database, 0);
  const std::string before = contentOf(database);
  const std::string first = freshPath("backup");
  REQUIRE(backUp(database, first).ok());
  replaceAll(database, 20);
  const std::string content = contentOf(database);
  for (const bool isNew : {false, true}) {
    for (const Operation operation : kCopyOperations) {
      for (std::uint64_t nth = 1; nth < 40; nth += nth < 6 ? 1 : 5) {
        const std::string backup = freshPath("backup");
        if (!isNew) files::copy(first, backup, files::copy_options::recursive);
        FaultyFileSystem fs(posixFileSystem());
        fs.failAt(operation, nth, StatusCode::kStorageUnavailable);
        const bool isDone = backUp(database, backup, fs).ok();
        fs.heal();
        fs.losePower();
        if (isDone) {
          EXPECT(contentOfBackup(backup) == content);
          break;
        }
        const auto told = restored(backup, freshPath("restored"));
        if (told.ok()) {
          const std::string kept = contentOfBackup(backup);
          EXPECT(kept == content || (!isNew && kept == before));
        } else {
          EXPECT(isNew);
        }
        REQUIRE(backUp(database, backup).ok());
        EXPECT(contentOfBackup(backup) == content);
      }
    }
  }
}

TEST("a restore that fails anywhere is no database, and another one ends it") {
  Database database;
  REQUIRE(database.open().ok());
  fill(database, 0);
  const std::string content = contentOf(database);
  REQUIRE(snapshot(database, "first").ok());
  replaceAll(database, 20);
  const std::string backup = freshPath("backup");
  REQUIRE(backUp(database, backup).ok());
  for (const Operation operation : kCopyOperations) {
    for (std::uint64_t nth = 1; nth < 60; nth += nth < 8 ? 1 : 6) {
      Database copy;
      copy.options.directory = freshPath("restored");
      FaultyFileSystem fs(posixFileSystem());
      fs.failAt(operation, nth, StatusCode::kStorageUnavailable);
      const bool isDone = restored(backup, copy.options.directory, "first", fs).ok();
      fs.heal();
      fs.losePower();
      if (!isDone) {
        // Only what is left to remove may have failed when it opens.
        const Status opened = copy.open();
        EXPECT(opened.ok() || opened.code() == StatusCode::kConfiguration ||
               !files::exists(copy.path("ROOT")));
        if (opened.ok()) EXPECT(contentOf(copy) == content || contentOf(copy) == "[]");
        copy.close();
      }
      if (!isDone && restored(backup, copy.options.directory, "first").ok()) {
        REQUIRE(copy.open().ok());
        EXPECT(contentOf(copy) == content);
      }
      if (!isDone) continue;
      REQUIRE(copy.open().ok());
      expectSameInAllModes(copy, content);
      break;
    }
  }
}

TEST("an unfinished copy is not opened, and says what it is") {
  Database database;
  REQUIRE(database.open().ok());
  fill(database, 0);
  const std::string backup = freshPath("backup");
  FaultyFileSystem fs(posixFileSystem());
  fs.failFrom(Operation::kRename, 3, StatusCode::kStorageUnavailable);
  REQUIRE(!backUp(database, backup, fs).ok());
  EXPECT(isIn("a backup did not end here", restored(backup, freshPath("restored"))));
  Database reading(readOnlyFileSystem());
  reading.options.directory = backup;
  reading.options.isReadOnly = true;
  EXPECT(reading.open().code() == StatusCode::kConfiguration);
}

TEST("a snapshot is read as it was, beside the open database or without it") {
  Database database;
  REQUIRE(database.open().ok());
  fill(database, 0);
  REQUIRE(snapshot(database, "first").ok());
  const std::string content = contentOf(database);
  replaceAll(database, 20);
  const std::string now = contentOf(database);
  Database past(readOnlyFileSystem());
  past.options.directory = database.options.directory;
  past.options.isReadOnly = true;
  past.options.snapshot = "first";
  EXPECT(past.open().code() == StatusCode::kLocked);
  past.options.isLockHeld = true;
  REQUIRE(past.open().ok());
  EXPECT(contentOf(past) == content && contentOf(database) == now);
  EXPECT(past.ingest(line("m", 1, 1)).ok() == false);
  past.options.snapshot = "second";
  EXPECT(past.open().code() == StatusCode::kSnapshotNotFound);
  // What has come since is in the log only.
  REQUIRE(database.ingest(line("unflushed", 1, 1)).ok());
  database.close();
  past.options.snapshot = "first";
  past.options.isLockHeld = false;
  for (const MetadataReadMode mode : kReadModes) {
    past.options.metadataReadMode = mode;
    REQUIRE(past.open().ok());
    EXPECT(contentOf(past) == content);
  }
  past.close();
  REQUIRE(database.open().ok());
  EXPECT(database.read("unflushed") == (Points{{1, 1}}));
}
