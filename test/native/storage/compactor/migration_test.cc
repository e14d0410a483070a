// A directory of an older program gets the names of the content-addressed description.
#include "storage/compactor/migration.h"

#include <filesystem>
#include <thread>

#include "storage/engine/old_directory.h"
#include "storage/engine/task_fixture.h"

using namespace seriesdb;
using namespace seriesdb::test;

namespace {

namespace files = std::filesystem;

// Fills and closes the database. Returns its content.
std::string fillOld(Database& database) {
  CHECK(database.open().ok());
  fill(database, 0);
  fill(database, 10);
  std::string content = contentOf(database);
  database.close();
  makeOld(database);
  return content;
}

std::size_t oldNames(const Database& database) {
  std::size_t count = 0;
  for (const auto& entry : files::directory_iterator(database.path("segments"))) {
    static_cast<void>(entry);
    ++count;
  }
  return count;
}

// The number of files below objects/, and of segments that MANIFEST names by hash.
std::pair<std::size_t, std::size_t> newNames(const Database& database) {
  std::size_t hashed = 0;
  for (const SegmentFacts& facts : manifestOf(database).segments) hashed += facts.hash ? 1 : 0;
  return {database.segmentPaths().size(), hashed};
}

}  // namespace

TEST("a migration reports its plan and its result") {
  Database database;
  fillOld(database);
  const std::size_t count = oldNames(database);
  REQUIRE(database.open().ok());
  const auto reader = migration(database);
  std::string text;
  std::string piece;
  do {
    REQUIRE(reader->next(piece).ok());
    text += piece;
    std::this_thread::yield();
  } while (!piece.empty());
  const auto isTold = [&text](const std::string& part) {
    return text.find(part) != std::string::npos;
  };
  EXPECT(isTold("{\"kind\":\"plan\",\"segments\":"));
  EXPECT(isTold("{\"kind\":\"end\",\"status\":\"migrated\",\"segments\":" + std::to_string(count) +
                ",\"bytes\":"));
  EXPECT(text.ends_with("\"tags\":0,\"left\":0}\n"));
}

TEST("a cancelled migration leaves the segments that it has not read") {
  Database database;
  const std::string content = fillOld(database);
  const std::size_t count = oldNames(database);
  REQUIRE(database.open().ok());
  const auto watch = std::make_shared<TaskWatch>();
  watch->giveUp();
  std::promise<Status> answer;
  database.engine().migrate([&answer](const auto& done) { answer.set_value(done.status()); },
                            watch);
  EXPECT(answer.get_future().get().code() == StatusCode::kClosed);
  EXPECT(oldNames(database) == count);
  EXPECT(contentOf(database) == content);
  EXPECT(migrated(database).ok() && oldNames(database) == 0);
}

TEST("old segments are renamed to their hashes, and open in every mode") {
  Database database;
  const std::string content = fillOld(database);
  const std::size_t count = oldNames(database);
  REQUIRE(database.open().ok());
  EXPECT(contentOf(database) == content);
  EXPECT(database.stat("legacy_segment_descriptors") == static_cast<double>(count));
  const auto report = migrated(database);
  REQUIRE(report.ok());
  EXPECT(report.value().segments == count && report.value().left == 0);
  EXPECT(report.value().bytes == static_cast<std::uint64_t>(database.stat("segment_bytes")));
  EXPECT(contentOf(database) == content);
  expectSettled(database);
  const auto again = migrated(database);
  EXPECT(again.ok() && again.value().segments == 0 && again.value().bytes == 0);
  EXPECT(oldNames(database) == 0);
  expectSameInAllModes(database, content);
  expectSettled(database);
  // The files match their names.
  for (const SegmentFacts& facts : manifestOf(database).segments) {
    REQUIRE(facts.hash);
    EXPECT(sha256(test::contentOf(database.path(segmentFileOf(facts)))) == *facts.hash);
  }
}

LONE_TEST("a migration that fails at any operation loses nothing, and the next completes it") {
  for (const Operation operation :
       {Operation::kAppend, Operation::kSync, Operation::kLink, Operation::kRemove,
        Operation::kSyncDirectory, Operation::kOpenRead, Operation::kRename}) {
    for (std::uint64_t nth = 1; nth <= 10; nth += kStride) {
      for (const StatusCode code : {StatusCode::kIo, StatusCode::kStorageUnavailable}) {
        FaultyFileSystem fs(posixFileSystem());
        Database database(fs);
        const std::string content = fillOld(database);
        REQUIRE(database.open().ok());
        fs.failAt(operation, nth, code);
        const bool isDone = migrated(database).ok();
        fs.heal();
        EXPECT(contentOf(database) == content);
        if (!isDone && database.stat("writes_blocked") == 0) {
          const auto [files, hashed] = newNames(database);
          EXPECT(files == hashed);
        }
        database.close();
        if (nth % 2 == 0) fs.losePower();
        // As after a crash: the files determine the progress.
        REQUIRE(database.open().ok());
        EXPECT(contentOf(database) == content);
        EXPECT(migrated(database).ok());
        EXPECT(contentOf(database) == content);
        expectSettled(database);
        REQUIRE(database.open().ok());
        EXPECT(contentOf(database) == content && oldNames(database) == 0);
        expectSettled(database);
      }
    }
  }
}

TEST("a migrated file keeps its old name while an earlier read may use it") {
  Database database;
  const std::string content = fillOld(database);
  const std::size_t count = oldNames(database);
  REQUIRE(database.open().ok());
  {
    const auto view = database.engine().pinFiles();
    REQUIRE(migrated(database).ok());
    EXPECT(migrated(database).ok() && oldNames(database) == count);
  }
  EXPECT(migrated(database).ok() && oldNames(database) == 0);
  EXPECT(contentOf(database) == content);
}

TEST("a file that a crash left with two names keeps its hash name") {
  Database database;
  const std::string content = fillOld(database);
  const ManifestState before = manifestOf(database);
  REQUIRE(database.open().ok());
  REQUIRE(migrated(database).ok() && migrated(database).ok());
  database.close();
  const ManifestState after = manifestOf(database);
  REQUIRE(before.segments.size() == after.segments.size());
  for (std::size_t i = 0; i < before.segments.size(); ++i) {
    files::create_hard_link(database.path(segmentFileOf(after.segments[i])),
                            database.path(segmentFileOf(before.segments[i])));
  }
  REQUIRE(database.open().ok());
  EXPECT(contentOf(database) == content && oldNames(database) == 0);
  expectSameInAllModes(database, content);
}

TEST("a damaged segment is left and reported; without commits a migration is refused") {
  Database database;
  static_cast<void>(fillOld(database));
  const SegmentFacts facts = manifestOf(database).segments.front();
  const std::string path = database.path(segmentFileOf(facts));
  ByteBuffer bytes = test::contentOf(path);
  bytes[bytes.size() - 20] ^= 1;
  overwrite(path, bytes);
  REQUIRE(database.open().ok());
  const auto report = migrated(database);
  REQUIRE(report.ok());
  const auto opened = static_cast<std::uint64_t>(database.stat("segments"));
  EXPECT(report.value().left == 1 && report.value().segments == opened);
  EXPECT(test::contentOf(path) == bytes);
  database.options.casMode = CasMode::kOff;
  database.options.metadataReadMode = MetadataReadMode::kLegacy;
  REQUIRE(database.open().ok());
  EXPECT(migrated(database).status().code() == StatusCode::kConfiguration);
}

TEST("a migration moves loose tags into REFS") {
  Database database;
  REQUIRE(database.open().ok());
  fill(database, 0);
  database.close();
  tagHead(database, "one");
  tagHead(database, "two");
  REQUIRE(database.open().ok());
  const std::string content = contentOf(database);
  EXPECT(database.stat("loose_refs_present") == 2);
  const auto report = migrated(database);
  EXPECT(report.ok() && report.value().tags == 2 && report.value().segments == 0);
  expectSettled(database);
  expectSameInAllModes(database, content);
}
