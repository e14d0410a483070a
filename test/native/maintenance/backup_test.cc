// Backups and restored databases equal the database that was copied, also if a copy failed and was
// repeated.
#include <algorithm>

#include "backup_fixture.h"
#include "maintenance/inspection.h"
#include "maintenance/verification.h"

using namespace seriesdb;
using namespace seriesdb::test;

TEST("a restored backup has the content of its database, in every metadata mode") {
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
    // The copy is writable like any other database.
    fill(copy, 30);
    const std::string more = contentOf(copy);
    EXPECT(more != content);
    expectSameInAllModes(copy, more);
  }
}

TEST("a repeated backup copies only new files and removes unneeded ones") {
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

TEST("a backup that runs out of space keeps its copies, and the next one copies the rest") {
  Database database;
  REQUIRE(database.open().ok());
  fill(database, 0);
  fill(database, 10);
  std::size_t kept = 0;
  for (std::uint64_t nth = 1; nth < 20 && kept == 0; ++nth) {
    FaultyFileSystem fs(posixFileSystem());
    fs.failFrom(Operation::kRename, nth, StatusCode::kStorageUnavailable);
    Database copy;
    copy.options.directory = freshPath("backup");
    REQUIRE(!backUp(database, copy.options.directory, fs).ok());
    kept = copy.segmentPaths().size();
    if (kept == 0) continue;
    const auto rest = backUp(database, copy.options.directory);
    EXPECT(isIn(
        R"("kind":"plan","files":)" + std::to_string(database.segmentPaths().size() - kept) + ",",
        rest));
    EXPECT(contentOfBackup(copy.options.directory) == contentOf(database));
  }
  EXPECT(kept > 0 && kept < database.segmentPaths().size());
}

TEST("a backup can be verified and read, but not opened for writing") {
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
  EXPECT(isIn(R"("status":"damaged","problems":[")" + path, told));
  EXPECT(isIn(R"("kind":"end","status":"damaged")", told));
}

TEST("backups and restores refuse foreign directories") {
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
  EXPECT(isIn("is not a backup", restored(other.options.directory, freshPath("restored"))));
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

TEST("a failed backup leaves the earlier one, and the next backup completes it") {
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

TEST("a failed restore leaves no partial database, and the next restore completes it") {
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
        // If it opens, only the removal of leftovers may have failed.
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

TEST("REFS that is damaged or replaced during a backup does not overwrite the backup's REFS") {
  Database database;
  REQUIRE(database.open().ok());
  fill(database, 0);
  const std::string content = contentOf(database);
  const std::string backup = freshPath("backup");
  REQUIRE(backUp(database, backup).ok());
  REQUIRE(database.ingest(line("more", 1, 1)).ok());
  REQUIRE(database.flush().ok());
  const std::string path = database.path("REFS");
  const ByteBuffer whole = test::contentOf(path);
  for (const std::size_t at : {whole.size() / 3, whole.size() / 2}) {
    ByteBuffer damaged = whole;
    damaged[at] ^= 1;
    overwrite(path, damaged);
    const auto told = backUp(database, backup);
    EXPECT(told.status().code() == StatusCode::kStorageCorrupt && isIn("REFS", told));
    EXPECT(contentOfBackup(backup) == content);
  }
  overwrite(path, whole);
  // Changes happen between the request and the copy.
  int asked = 0;
  const std::string now = contentOf(database);
  Backup replaced(
      posixFileSystem(), database.options.directory, database.engine().root(),
      [&]() -> Result<CommittedFiles> {
        overwrite(path, whole);
        auto held = database.engine().holdFiles();
        if (asked++ == 0) overwrite(path, Bytes(whole).first(whole.size() / 2));
        return held;
      },
      backup);
  EXPECT(run(replaced).ok());
  EXPECT(contentOfBackup(backup) == now);
}

TEST("an unreadable segment is reported, and all others are backed up") {
  Database database;
  REQUIRE(database.open().ok());
  fill(database, 0);
  fill(database, 10);
  const std::vector<std::string> paths = database.segmentPaths();
  for (const bool isGone : {false, true}) {
    const std::string& path = paths[isGone ? 1 : 0];
    ByteBuffer bytes = test::contentOf(path);
    bytes[bytes.size() / 2] ^= 1;
    overwrite(path, bytes);
    if (isGone) files::remove(path);
    const std::string backup = freshPath("backup");
    const auto told = backUp(database, backup);
    EXPECT(isIn(R"("status":"damaged","problems":[")", told) && isIn(path, told));
    EXPECT(isIn(R"("kind":"end","status":"damaged")", told));
    Database copy;
    copy.options.directory = freshPath("restored");
    REQUIRE(restored(backup, copy.options.directory).ok());
    const std::size_t lost = isGone ? 2 : 1;
    EXPECT(copy.segmentPaths().size() == paths.size() - lost);
    REQUIRE(copy.open().ok());
    EXPECT(copy.stat("segments_quarantined") == static_cast<double>(lost));
  }
}

TEST("a restored snapshot has no later snapshots, and can be continued") {
  Database database;
  REQUIRE(database.open().ok());
  fill(database, 0);
  REQUIRE(snapshot(database, "first").ok());
  fill(database, 10);
  const std::string content = contentOf(database);
  REQUIRE(snapshot(database, "second").ok());
  replaceAll(database, 20);
  REQUIRE(snapshot(database, "third").ok());
  const std::string backup = freshPath("backup");
  REQUIRE(backUp(database, backup).ok());
  Database copy;
  copy.options.directory = freshPath("restored");
  REQUIRE(restored(backup, copy.options.directory, "second").ok());
  const auto told = listed(copy, false);
  EXPECT(isIn(R"("name":"first")", told) && isIn(R"("name":"second")", told));
  EXPECT(!isIn(R"("name":"third")", told));
  // If REFS or its last records are lost, nothing of another database is accepted.
  for (const bool isLost : {false, true}) {
    REQUIRE(copy.open().ok());
    EXPECT(contentOf(copy) == content);
    REQUIRE(snapshot(copy, "own").ok());
    copy.close();
    if (isLost) files::remove(copy.path("REFS"));
    if (isLost) copy.options.metadataReadMode = MetadataReadMode::kLegacy;
    REQUIRE(copy.open().ok());
    EXPECT(contentOf(copy) == content);
    if (!isLost) REQUIRE(snapshot(copy, "own", false).ok());
  }
}

TEST("a restore over an unfinished one keeps nothing of the first") {
  Database database;
  REQUIRE(database.open().ok());
  REQUIRE(database.ingest(line("m", 1, 1)).ok());
  REQUIRE(snapshot(database, "bare").ok());
  fill(database, 0);
  const std::string backup = freshPath("backup");
  REQUIRE(backUp(database, backup).ok());
  Database copy;
  copy.options.directory = freshPath("restored");
  REQUIRE(restored(backup, copy.options.directory).ok());
  RootFacts root = readRoot(posixFileSystem(), copy.options.directory).value();
  root.toRead = kRootUnfinished;
  REQUIRE(writeRoot(posixFileSystem(), copy.options.directory, root).ok());
  REQUIRE(restored(backup, copy.options.directory, "bare").ok());
  for (const MetadataReadMode mode : kReadModes) {
    copy.options.metadataReadMode = mode;
    REQUIRE(copy.open().ok());
    EXPECT(textOf(*openAnnotations(copy.engine(), {})) == "[]");
    EXPECT(copy.read("m") == (Points{{1, 1}}) && copy.engine().degradedReasons().empty());
  }
}

TEST("a backup replaces a partial ROOT.tmp and refuses a ROOT of a newer seriesdb") {
  Database database;
  REQUIRE(database.open().ok());
  fill(database, 0);
  const std::string backup = freshPath("backup");
  files::create_directory(backup);
  REQUIRE(posixFileSystem().create(backup + "/ROOT.tmp").ok());
  REQUIRE(backUp(database, backup).ok());
  RootFacts root = readRoot(posixFileSystem(), backup).value();
  root.toWrite |= 2;
  REQUIRE(writeRoot(posixFileSystem(), backup, root).ok());
  EXPECT(isIn("newer seriesdb", backUp(database, backup)));
  EXPECT(isIn("newer seriesdb", restored(backup, freshPath("restored"))));
}

TEST("after a failure every later step of a backup fails") {
  Database database;
  REQUIRE(database.open().ok());
  fill(database, 0);
  FaultyFileSystem fs(posixFileSystem());
  Backup backup(
      fs, database.options.directory, database.engine().root(),
      [&database] { return database.engine().holdFiles(); }, freshPath("backup"));
  std::string piece;
  REQUIRE(backup.next(piece).ok());
  fs.failAt(Operation::kAppend, 1, StatusCode::kStorageUnavailable);
  EXPECT(!backup.next(piece).ok());
  fs.heal();
  EXPECT(backup.next(piece).code() == StatusCode::kStorageUnavailable && piece.empty());
}

TEST("an unfinished copy cannot be opened, and the error says that it is one") {
  Database database;
  REQUIRE(database.open().ok());
  fill(database, 0);
  const std::string backup = freshPath("backup");
  FaultyFileSystem fs(posixFileSystem());
  fs.failFrom(Operation::kRename, 2, StatusCode::kStorageUnavailable);
  REQUIRE(!backUp(database, backup, fs).ok());
  EXPECT(isIn("a backup was interrupted here", restored(backup, freshPath("restored"))));
  Database reading(readOnlyFileSystem());
  reading.options.directory = backup;
  reading.options.isReadOnly = true;
  EXPECT(reading.open().code() == StatusCode::kConfiguration);
}
