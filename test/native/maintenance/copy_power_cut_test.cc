// Copies that a power loss or the target's disk ends at any change. Existing data stays, a reported
// copy is complete, and a retry finishes.
#include "backup_fixture.h"
#include "ending_fixture.h"

using namespace seriesdb;
using namespace seriesdb::test;

TEST("a backup ended by a power cut or full disk leaves the earlier or none, and can be repeated") {
  QuickDisk disk;
  Database database(disk.fs);
  REQUIRE(database.open().ok());
  fill(database, 0);
  const std::string before = contentOf(database);
  const std::string first = freshPath("backup");
  REQUIRE(backUp(database, first).ok());
  replaceAll(database, 30);
  const std::string now = contentOf(database);
  for (const bool isNew : {false, true}) {
    forEachEnding([&](Ending ending, std::uint64_t nth) {
      const std::string backup = freshPath("backup");
      if (!isNew) files::copy(first, backup, files::copy_options::recursive);
      bool isDone = false;
      const bool isMet = end(ending, nth, isDone,
                             [&](FileSystem& fs) { return backUp(database, backup, fs).ok(); });
      const std::string copy = freshPath("restored");
      const bool isBackup = restored(backup, copy, {}, disk.fs).ok();
      EXPECT(isBackup || (isNew && !isDone));
      if (isBackup) {
        const std::string content = contentIn(copy, disk.fs);
        EXPECT(content == now || (!isNew && !isDone && content == before));
      }
      const bool isEnded = backUp(database, backup, disk.fs).ok();
      EXPECT(isEnded);
      if (isEnded) EXPECT(contentOfBackup(backup, {}, disk.fs) == now);
      files::remove_all(backup);
      files::remove_all(copy);
      return isMet;
    });
  }
}

LONE_TEST("a restore ended by a power cut or full disk can be completed, or is already whole") {
  QuickDisk disk;
  Database database(disk.fs);
  REQUIRE(database.open().ok());
  fill(database, 0);
  const std::string content = contentOf(database);
  REQUIRE(snapshot(database, "first").ok());
  replaceAll(database, 30);
  const std::string backup = freshPath("backup");
  REQUIRE(backUp(database, backup).ok());
  forEachEnding([&](Ending ending, std::uint64_t nth) {
    Database copy(disk.fs);
    copy.options.directory = freshPath("restored");
    bool isDone = false;
    const bool isMet = end(ending, nth, isDone, [&](FileSystem& fs) {
      return restored(backup, copy.options.directory, "first", fs).ok();
    });
    bool isOpened = false;
    if (!isDone && files::exists(copy.path("ROOT"))) {
      isOpened = copy.open().ok();
      if (isOpened) EXPECT(contentOf(copy) == content);
      copy.close();
    }
    if (!isDone && !isOpened) {
      EXPECT(restored(backup, copy.options.directory, "first", disk.fs).ok());
    }
    copy.options.metadataReadMode = kReadModes[nth % kReadModes.size()];
    const bool isOpen = copy.open().ok();
    EXPECT(isOpen);
    if (isOpen) EXPECT(contentOf(copy) == content && copy.engine().degradedReasons().empty());
    if (isOpen && nth % 8 == 0) expectSameInAllModes(copy, content);
    copy.close();
    files::remove_all(copy.options.directory);
    return isMet;
  });
}
