// A failed sync is final for its file: the database refuses writes, reports why, and its close
// reports it too. Acknowledged samples are there after a restart.
#include <set>

#include "engine_fixture.h"

using namespace seriesdb;
using namespace seriesdb::test;

namespace {

bool isIn(std::string_view part, const std::string& text) {
  return text.find(part) != std::string::npos;
}

// Writes a sample of a new series and an annotation, so that a flush writes to every file.
void fill(Database& database) {
  REQUIRE(database.ingest(line("m", 1, 1)).ok());
  std::promise<bool> answer;
  Annotation annotation;
  annotation.kind = "k";
  annotation.title = "t";
  database.engine().annotate(std::move(annotation), [&answer](Result<Annotation> written) {
    answer.set_value(written.ok());
  });
  REQUIRE(answer.get_future().get());
}

// The file that a health reason calls unwritable; empty if there is none.
std::string unwritable(const std::vector<std::string>& reasons) {
  for (const char* file : {"CATALOG", "ANNOTATIONS", "MANIFEST", "REFS"}) {
    for (const std::string& reason : reasons) {
      if (isIn("cannot write " + std::string(file), reason)) return file;
    }
  }
  return {};
}

// REFS is the deciding description if the mode reads it, otherwise MANIFEST.
void expectFailures(MetadataReadMode mode, const std::string& deciding) {
  std::set<std::string> met;
  bool isReached = true;
  for (std::uint64_t nth = 1; isReached && nth < 40; ++nth) {
    FaultyFileSystem fs(posixFileSystem());
    Database database(fs);
    database.options.metadataReadMode = mode;
    REQUIRE(database.open().ok());
    fill(database);
    const std::uint64_t before = fs.count(Operation::kSync);
    fs.failAt(Operation::kSync, nth);
    const Status flushed = database.flush();
    isReached = fs.count(Operation::kSync) >= before + nth;
    const std::string file = unwritable(database.engine().degradedReasons());
    if (!file.empty()) {
      met.insert(file);
      EXPECT(!flushed.ok());
      EXPECT(database.engine().admit().code() == StatusCode::kStorageUnavailable);
      EXPECT(database.stat("writes_blocked") == 1);
      // The file gets no more bytes, even if the disk works again.
      const std::uint64_t size = contentOf(database.path(file)).size();
      EXPECT(!database.flush().ok());
      EXPECT(contentOf(database.path(file)).size() == size);
      const Status closed = database.tryClose();
      EXPECT(closed.code() == StatusCode::kStorageUnavailable);
      EXPECT(isIn("cannot write " + file, closed.message()));
    }
    database.close();
    fs.heal();
    fs.losePower();
    REQUIRE(database.open().ok());
    EXPECT(database.read("m") == (Points{{1, 1}}));
    EXPECT(database.stat("annotations") == 1);
    EXPECT(database.flush().ok());
    EXPECT(database.tryClose().ok());
  }
  EXPECT(!isReached);
  EXPECT(met == (std::set<std::string>{"ANNOTATIONS", "CATALOG", deciding}));
}

}  // namespace

TEST("a failed sync of MANIFEST or REFS stops writing, is reported and loses nothing") {
  expectFailures(MetadataReadMode::kLegacy, "MANIFEST");
  expectFailures(MetadataReadMode::kPrimary, "REFS");
}

TEST("a close reports a failed last sync of the WAL, each time") {
  for (const FsyncPolicy policy : {FsyncPolicy::kNone, FsyncPolicy::kInterval}) {
    FaultyFileSystem fs(posixFileSystem());
    Database database(fs);
    database.options.fsync = policy;
    database.options.fsyncIntervalMs = 3'600'000;
    REQUIRE(database.open().ok());
    // The first commit is synced, because the last sync was too long ago.
    REQUIRE(database.ingest(line("m", 1, 1)).ok());
    REQUIRE(database.ingest(line("m", 2, 2)).ok());
    fs.failFrom(Operation::kSync, 1);
    for (int i = 0; i < 2; ++i) {
      const Status closed = database.engine().close();
      EXPECT(closed.code() == StatusCode::kStorageUnavailable);
      EXPECT(isIn("cannot sync the WAL", closed.message()));
    }
  }
}

TEST("closing a healthy database reports no error, also on a full disk") {
  FaultyFileSystem fs(posixFileSystem());
  Database database(fs);
  REQUIRE(database.open().ok());
  REQUIRE(database.ingest(line("m", 1, 1)).ok());
  fs.setSpace(5);
  EXPECT(database.tryClose().ok());
  fs.heal();
  REQUIRE(database.open().ok());
  EXPECT(database.read("m") == (Points{{1, 1}}));
}

TEST("a flush whose last edit had no space reuses its written segment") {
  FaultyFileSystem fs(posixFileSystem());
  Database database(fs);
  REQUIRE(database.open().ok());
  REQUIRE(database.ingest(line("a", 1, 1)).ok() && database.flush().ok());
  REQUIRE(database.ingest(line("a", 2, 2)).ok());
  const std::uint64_t appends = fs.count(Operation::kAppend);
  const std::uint64_t renames = fs.count(Operation::kRename);
  REQUIRE(database.flush().ok());
  const std::uint64_t appendsOfOne = fs.count(Operation::kAppend) - appends;
  const std::uint64_t renamesOfOne = fs.count(Operation::kRename) - renames;
  REQUIRE(renamesOfOne > 0);

  REQUIRE(database.ingest(line("a", 3, 3)).ok());
  const std::uint64_t before = fs.count(Operation::kRename);
  // The second last append is the commit, in the deciding description.
  fs.failAt(Operation::kAppend, appendsOfOne - 1, StatusCode::kStorageUnavailable);
  static_cast<void>(database.flush().ok());
  REQUIRE(database.flush().ok());
  EXPECT(database.stat("cas_sync_failed_total") == 1);
  EXPECT(fs.count(Operation::kRename) - before == renamesOfOne);
  EXPECT(database.read("a") == (Points{{1, 1}, {2, 2}, {3, 3}}));
  REQUIRE(database.open().ok());
  EXPECT(database.read("a") == (Points{{1, 1}, {2, 2}, {3, 3}}));
}
