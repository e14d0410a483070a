// Logs with every kind of damage: records before it stay, records behind it go to quarantine, and
// everything is reported.
#include "maintenance/repair/repair_fixture.h"

using namespace seriesdb;
using namespace seriesdb::test;

namespace {

constexpr int kRecordsOfFile = 4;

// Fills segments and three log files with one sample per record; the value equals the time.
void fillLog(Database& database) {
  REQUIRE(database.open().ok());
  fill(database, 0);
  REQUIRE(database.ingest(described("log", 0, 0)).ok());
  REQUIRE(database.flush().ok());
  int next = 1;
  for (int file = 0; file < 3; ++file) {
    REQUIRE(database.open().ok());
    for (int i = 0; i < kRecordsOfFile; ++i, ++next) {
      EXPECT(database.ingest(line("log", next, next)).ok());
    }
    database.close();
  }
}

std::vector<std::string> logsOf(const Database& database) {
  std::vector<std::string> paths;
  for (const std::string& name : database.files("wal")) {
    const std::string path = database.path("wal/" + name);
    paths.push_back(path);
  }
  return paths;
}

Points upTo(int count) {
  Points points;
  for (int i = 0; i < count; ++i) points[i] = i;
  return points;
}

struct LogDamage {
  const char* name;
  void (*damage)(const std::string& path);
  int kept;  // Records of the file that survive.
};

void flipRecord(const std::string& path, std::size_t number) {
  flip(path, recordBounds(seriesdb::test::contentOf(path))[number] + log_frame::kPayloadOffset);
}

const LogDamage kDamages[] = {
    {"missing", [](const std::string& path) { files::remove(path); }, 0},
    {"empty", [](const std::string& path) { overwrite(path, {}); }, 0},
    {"header", [](const std::string& path) { flip(path, 9); }, 0},
    // The first record is a mark.
    {"first record", [](const std::string& path) { flipRecord(path, 1); }, 0},
    {"third record", [](const std::string& path) { flipRecord(path, 3); }, 2},
    {"cut short",
     [](const std::string& path) {
       ByteBuffer bytes = seriesdb::test::contentOf(path);
       bytes.resize(recordBounds(bytes)[2]);
       overwrite(path, bytes);
     },
     1},
};

}  // namespace

LONE_TEST("an accepted repair cuts the WAL before the damage, and it opens in every mode") {
  Database database;
  fillLog(database);
  const std::string& in = database.options.directory;
  const Tree tree = treeOf(in);
  const std::vector<std::string> logs = logsOf(database);
  REQUIRE(logs.size() == 3);
  for (std::size_t file = 0; file < logs.size(); ++file) {
    for (const LogDamage& one : kDamages) {
      putTree(in, tree);
      one.damage(logs[file]);
      database.options.metadataReadMode = MetadataReadMode::kPrimary;
      // Damage that may be the end of a crash is not damage.
      const Tree damaged = treeOf(in);
      Database reader(readOnlyFileSystem());
      reader.options.directory = in;
      reader.options.isReadOnly = true;
      if (reader.open().ok()) continue;
      // If the description is older than the log, it requires a file that a flush removed.
      if (file == 0 && one.name == std::string("missing")) {
        EXPECT(isIn("is older than the data", repaired(in, accepting())));
        EXPECT(treeOf(in) == damaged);
        continue;
      }
      EXPECT(isIn(R"("status":"left")", repaired(in)));
      EXPECT(isIn(R"("kind":"end","status":"damaged")", repaired(in, {true, false, {}})));
      EXPECT(isIn(R"("status":"planned")", repaired(in, {true, true, {}})));
      EXPECT(treeOf(in) == damaged);
      const auto told = repaired(in, accepting());
      EXPECT(isIn(R"("kind":"end","status":"ok","mended":1)", told));
      EXPECT(isIn(R"("from_sequence":)", told));
      const Points expected = upTo(1 + static_cast<int>(file) * kRecordsOfFile + one.kept);
      for (const MetadataReadMode mode : kReadModes) {
        database.options.metadataReadMode = mode;
        REQUIRE(database.open().ok());
        if (database.read("log") != expected) fail(__FILE__, __LINE__, one.name);
        database.close();
      }
      EXPECT(isWhole(in));
      EXPECT(isIn(R"("mended":0)", repaired(in)));
      const bool isAnyLost = one.name != std::string("missing") || file + 1 < logs.size();
      EXPECT(!isAnyLost || !database.files("quarantine").empty());
    }
  }
}

TEST("a MANIFEST that is older than the WAL is not repaired by cutting the WAL") {
  Database database;
  REQUIRE(database.open().ok());
  fill(database, 0);
  database.close();
  const std::string manifest = database.path("MANIFEST");
  const ByteBuffer older = seriesdb::test::contentOf(manifest);
  REQUIRE(database.open().ok());
  fill(database, 10);
  database.close();
  overwrite(manifest, older);
  files::remove(database.path("REFS"));
  const Tree damaged = treeOf(database.options.directory);
  EXPECT(isIn(R"("status":"failed")", repaired(database.options.directory, accepting())));
  EXPECT(treeOf(database.options.directory) == damaged);
}
