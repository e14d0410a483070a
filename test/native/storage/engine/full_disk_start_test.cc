// A start on a full disk: existing data is served, and writes begin when the disk takes them.
#include <chrono>
#include <thread>
#include <utility>

#include "engine_fixture.h"

using namespace seriesdb;
using namespace seriesdb::test;

namespace {

bool isSame(const std::optional<Points>& found, const Points& expected) {
  return found && *found == expected;
}

std::string joined(const std::vector<std::string>& sentences) {
  std::string all;
  for (const std::string& one : sentences) all += one + "\n";
  return all;
}

}  // namespace

TEST("a start on a full disk serves reads, and accepts writes when there is space") {
  const std::pair<std::uint64_t, FsyncPolicy> starts[] = {{0, FsyncPolicy::kAlways},
                                                          {1, FsyncPolicy::kInterval},
                                                          {20, FsyncPolicy::kNone},
                                                          {40, FsyncPolicy::kAlways}};
  for (const auto& [room, fsync] : starts) {
    FaultyFileSystem fs(posixFileSystem());
    Database database(fs);
    database.options.fsync = fsync;
    REQUIRE(database.open().ok());
    REQUIRE(database.ingest(line("m", 1, 1)).ok());
    REQUIRE(database.flush().ok());
    REQUIRE(database.ingest(line("m", 2, 2)).ok());
    fs.setSpace(room);
    REQUIRE(database.open().ok());
    EXPECT(isSame(database.read("m"), {{1, 1}, {2, 2}}));
    EXPECT(database.stat("writes_blocked") == 1);
    EXPECT(joined(database.engine().degradedReasons()).find("injected") != std::string::npos);
    const Status full(StatusCode::kStorageUnavailable, "");
    EXPECT(database.engine().admit().code() == full.code());
    EXPECT(database.ingest(line("m", 3, 3)).code() == full.code());
    EXPECT(database.flush().code() == full.code());
    EXPECT(database.compact().status().code() == full.code());
    EXPECT(database.stat("wal_disk_bytes") == 0);
    // Closing changes nothing either.
    REQUIRE(database.open().ok());
    EXPECT(isSame(database.read("m"), {{1, 1}, {2, 2}}));
    fs.heal();
    for (int i = 0; i < 200 && database.stat("writes_blocked") == 1; ++i) {
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
    }
    EXPECT(database.engine().degradedReasons().empty());
    REQUIRE(database.ingest(line("m", 3, 3)).ok());
    EXPECT(database.flush().ok());
    EXPECT(database.compact().ok());
    REQUIRE(database.open().ok());
    EXPECT(isSame(database.read("m"), {{1, 1}, {2, 2}, {3, 3}}));
  }
}

TEST("a start on a full disk uses the remaining reserve") {
  FaultyFileSystem fs(posixFileSystem());
  Database database(fs);
  database.options.reserveBytes = 64 << 10;
  REQUIRE(database.open().ok());
  if (!posixFileSystem().exists(database.path("RESERVE")).value()) return;
  REQUIRE(database.ingest(line("m", 1, 1)).ok());
  fs.setSpace(0);
  REQUIRE(database.open().ok());
  // A flush frees the log; the remaining room is for no other record.
  for (int i = 0; i < 200 && database.stat("segments") == 0; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  EXPECT(database.stat("segments") == 1);
  EXPECT(isSame(database.read("m"), {{1, 1}}));
  EXPECT(database.ingest(line("m", 2, 2)).code() == StatusCode::kStorageUnavailable);
  fs.heal();
  for (int i = 0; i < 200 && !database.ingest(line("m", 2, 2)).ok(); ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  }
  EXPECT(isSame(database.read("m"), {{1, 1}, {2, 2}}));
}

TEST("a start whose WAL sync fails is refused, and does not wait for space") {
  FaultyFileSystem fs(posixFileSystem());
  Database database(fs);
  REQUIRE(database.open().ok());
  REQUIRE(database.ingest(line("m", 1, 1)).ok());
  database.close();
  int refusedCount = 0;
  for (std::uint64_t nth = 1; nth < 8; ++nth) {
    fs.failAt(Operation::kSync, nth);
    if (database.open().ok()) {
      EXPECT(database.stat("writes_blocked") == 0);
      database.close();
    } else {
      ++refusedCount;
    }
    fs.heal();
  }
  EXPECT(refusedCount > 0);
  REQUIRE(database.open().ok());
  EXPECT(isSame(database.read("m"), {{1, 1}}));
}
