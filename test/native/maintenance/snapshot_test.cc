// Snapshots keep the files they name, and read as the database was then.
#include "backup_fixture.h"

using namespace seriesdb;
using namespace seriesdb::test;

TEST("a snapshot keeps its files until it is deleted, through deletions and restarts") {
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

TEST("duplicate, unknown and invalid snapshot names are refused") {
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

TEST("a file of a deleted snapshot stays while an earlier read may use it") {
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

TEST("a snapshot is read unchanged, beside the open database or without it") {
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
  // Later samples are only in the log.
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

TEST("missing REFS is reported, and files of its snapshots stay until the next start") {
  Database database;
  REQUIRE(database.open().ok());
  fill(database, 0);
  REQUIRE(snapshot(database, "first").ok());
  const std::vector<std::string> kept = database.segmentPaths();
  replaceAll(database, 20);
  const std::string content = contentOf(database);
  database.close();
  files::remove(database.path("REFS"));
  REQUIRE(database.open().ok());
  const auto reasons = database.engine().degradedReasons();
  EXPECT(reasons.size() == 1 && reasons.front().find("REFS was missing") != std::string::npos);
  for (const std::string& path : kept) EXPECT(files::exists(path));
  REQUIRE(database.open().ok());
  EXPECT(database.engine().degradedReasons().empty() && contentOf(database) == content);
  for (const std::string& path : kept) EXPECT(!files::exists(path));
}

TEST("truncated REFS is reported, and files of its snapshots stay until the next start") {
  for (const MetadataReadMode mode : kReadModes) {
    Database database;
    database.options.metadataReadMode = mode;
    REQUIRE(database.open().ok());
    fill(database, 0);
    const std::uintmax_t size = std::filesystem::file_size(database.path("REFS"));
    REQUIRE(snapshot(database, "first").ok());
    const std::vector<std::string> kept = database.segmentPaths();
    replaceAll(database, 20);
    const std::string content = contentOf(database);
    database.close();
    for (const std::uintmax_t left : {size, std::uintmax_t{10}, std::uintmax_t{0}}) {
      Database copy;
      std::filesystem::copy(database.path(""), copy.path(""),
                            std::filesystem::copy_options::recursive);
      std::filesystem::resize_file(copy.path("REFS"), left);
      copy.options.metadataReadMode = mode;
      REQUIRE(copy.open().ok());
      const auto reasons = copy.engine().degradedReasons();
      EXPECT(reasons.size() == 1 && reasons.front().find("REFS lacked edits") != std::string::npos);
      EXPECT(contentOf(copy) == content);
      for (const std::string& path : kept) {
        EXPECT(files::exists(copy.path(path.substr(database.path("").size()))));
      }
      REQUIRE(copy.open().ok());
      EXPECT(copy.engine().degradedReasons().empty() && contentOf(copy) == content);
    }
  }
}

namespace {

// The largest size of REFS over some edits.
std::uintmax_t mostRefs(int snapshots) {
  Database database;
  CHECK(database.open().ok());
  fill(database, 0);
  for (int i = 0; i < snapshots; ++i) CHECK(snapshot(database, "s" + std::to_string(i)).ok());
  std::uintmax_t most = 0;
  for (int i = 0; i < 200; ++i) {
    CHECK(database.ingest(line("m", i, i)).ok() && database.flush().ok());
    most = std::max(most, files::file_size(database.path("REFS")));
  }
  return most;
}

}  // namespace

TEST("REFS stores the common objects of many snapshots once") {
  const std::uintmax_t without = mostRefs(0);
  EXPECT(mostRefs(40) < 2 * without);
}
