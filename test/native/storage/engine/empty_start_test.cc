// Starts that find no records in the last log file.
#include <array>

#include "storage/engine/engine_fixture.h"
#include "storage/engine/old_directory.h"

using namespace seriesdb;
using namespace seriesdb::test;

namespace {

constexpr int kManyStarts = 20;
constexpr int kFewStarts = 4;
constexpr std::array kModes = {MetadataReadMode::kLegacy, MetadataReadMode::kShadow,
                               MetadataReadMode::kPrimary};

std::uint64_t owedLogs(const Database& database) {
  return static_cast<std::uint64_t>(database.stat("legacy_wal_descriptors"));
}

// Simulates a killed process, which leaves no `closed` mark.
void kill(Database& database) {
  const std::vector<std::string> logs = database.files("wal");
  database.close();
  static_cast<void>(reopenLog(database.path("wal/" + logs.back())));
}

}  // namespace

LONE_TEST("starts without writes add no WAL files and no commits, after a close or a kill") {
  for (const MetadataReadMode mode : kModes) {
    for (const bool isKilled : {false, true}) {
      Database database;
      database.options.metadataReadMode = mode;
      const auto startOften = [&](std::size_t files, int starts) {
        REQUIRE(database.open().ok());
        const auto commits = std::filesystem::file_size(database.path("REFS"));
        for (int start = 0; start < starts; ++start) {
          if (isKilled) kill(database);
          REQUIRE(database.open().ok());
          EXPECT(database.files("wal").size() == files);
        }
        EXPECT(std::filesystem::file_size(database.path("REFS")) == commits);
        EXPECT(database.engine().degradedReasons().empty());
      };
      startOften(1, kManyStarts);
      EXPECT(owedLogs(database) == 0);
      REQUIRE(database.ingest(line("a", 1, 1)).ok());
      startOften(2, kFewStarts);
      EXPECT(owedLogs(database) == 1);
      REQUIRE(database.ingest(line("a", 2, 2)).ok());
      startOften(3, kFewStarts);
      EXPECT(database.read("a") == (Points{{1, 1}, {2, 2}}));
      REQUIRE(database.flush().ok());
      startOften(1, kFewStarts);
      EXPECT(owedLogs(database) == 0);
      EXPECT(database.read("a") == (Points{{1, 1}, {2, 2}}));
    }
  }
}

LONE_TEST("a failed file operation of a start without writes loses nothing") {
  for (const Operation operation : kOperations) {
    for (std::uint64_t nth = 1; nth <= 12; ++nth) {
      FaultyFileSystem fs(posixFileSystem());
      Database database(fs);
      REQUIRE(database.open().ok() && database.ingest(line("a", 1, 1)).ok());
      REQUIRE(database.open().ok());
      database.close();
      fs.failAt(operation, nth);
      static_cast<void>(database.open().ok());
      database.close();
      fs.heal();
      REQUIRE(database.open().ok());
      EXPECT(database.read("a") == (Points{{1, 1}}));
      REQUIRE(database.ingest(line("a", 2, 2)).ok());
      REQUIRE(database.open().ok());
      EXPECT(database.read("a") == (Points{{1, 1}, {2, 2}}));
      EXPECT(database.files("wal").size() == 3);
    }
  }
}

TEST("a power loss at any change of a start without writes loses nothing") {
  for (const PowerLoss loss : {PowerLoss::kBytes, PowerLoss::kAll, PowerLoss::kSome}) {
    for (std::uint64_t at = 1; at <= 16; ++at) {
      FaultyFileSystem fs(posixFileSystem());
      fs.simulatePower(temporaryDirectory());
      Database database(fs);
      REQUIRE(database.open().ok() && database.ingest(line("a", 1, 1)).ok());
      REQUIRE(database.open().ok());
      database.close();
      fs.cutPowerAt(at);
      std::size_t acknowledged = 1;
      if (database.open().ok() && database.ingest(line("a", 2, 2)).ok()) acknowledged = 2;
      database.close();
      fs.losePower(loss, at);
      fs.heal();
      REQUIRE(database.open().ok());
      const auto found = database.read("a");
      REQUIRE(found.has_value());
      EXPECT(found->size() >= acknowledged && found->at(1) == 1);
    }
  }
}

TEST("after a migration and further starts every closed WAL file is named by a commit") {
  Database database;
  REQUIRE(database.open().ok() && database.ingest(line("a", 1, 1)).ok());
  REQUIRE(database.open().ok());
  EXPECT(owedLogs(database) == 1);
  REQUIRE(migrated(database).ok());
  EXPECT(owedLogs(database) == 0);
  for (int start = 0; start < 3; ++start) {
    REQUIRE(database.open().ok());
    EXPECT(owedLogs(database) == 0);
    EXPECT(database.read("a") == (Points{{1, 1}}));
  }
}
