// Directories with every repairable damage: after a repair either description opens them with all
// readable data.
#include "maintenance/repair/repair.h"

#include "common/digest/checksum.h"
#include "format/segment/segment_chunks.h"
#include "maintenance/repair/repair_fixture.h"
#include "storage/engine/old_directory.h"

using namespace seriesdb;
using namespace seriesdb::test;

namespace {

std::string path(const std::string& directory, std::string_view name) {
  return directory + "/" + std::string(name);
}

struct Damaging {
  const char* name;
  std::function<void(const std::string& directory)> damage;
};

// Damage that can be repaired without losing samples.
std::vector<Damaging> harmless() {
  std::vector<Damaging> all;
  for (const char* name : {"ROOT", "MANIFEST", "CATALOG", "ANNOTATIONS", "REFS"}) {
    all.push_back({name, [name](const auto& in) { files::remove(path(in, name)); }});
    all.push_back({name, [name](const auto& in) { flip(path(in, name), 30); }});
    all.push_back({name, [name](const auto& in) { overwrite(path(in, name), {}); }});
  }
  all.push_back({"folder", [](const auto& in) { files::remove(path(in, "segments")); }});
  all.push_back({"all plain", [](const auto& in) {
                   for (const char* name : {"ROOT", "MANIFEST", "CATALOG", "ANNOTATIONS"}) {
                     flip(path(in, name), 30);
                   }
                 }});
  return all;
}

RepairWishes inMilliseconds(bool isDry, bool isLossAccepted) {
  return {isDry, isLossAccepted, TimestampUnit::kMilliseconds};
}

// Expects the same content in each mode, each read by a new database.
void expectContent(const std::string& directory, const std::string& content) {
  Database database;
  database.options.directory = directory;
  expectSameInAllModes(database, content);
}

}  // namespace

LONE_TEST("a missing or damaged MANIFEST, CATALOG, REFS or ROOT is rebuilt from the other files") {
  Database database;
  // History makes files that only REFS names.
  database.options.historyKeepMs = 3'600'000;
  fillForRepair(database);
  const std::string content = contentOf(database);
  database.close();
  const std::string& in = database.options.directory;
  const Tree tree = treeOf(in);
  for (const Damaging& one : harmless()) {
    putTree(in, tree);
    one.damage(in);
    const Tree damaged = treeOf(in);
    // The loss of REFS loses its snapshots.
    const bool isLoss = std::string(one.name) == "REFS";
    if (isLoss) EXPECT(isIn(R"("status":"left")", repaired(in, inMilliseconds(false, false))));
    EXPECT(treeOf(in) == damaged);
    const auto planned = repaired(in, inMilliseconds(true, isLoss));
    EXPECT(isIn(R"("status":"planned")", planned));
    EXPECT(treeOf(in) == damaged);
    const auto told = repaired(in, inMilliseconds(false, isLoss));
    if (!isIn(R"("kind":"end","status":"ok","mended")", told)) fail(__FILE__, __LINE__, one.name);
    EXPECT(isIn(R"("status":"mended")", told));
    EXPECT(isWhole(in));
    const Tree after = treeOf(in);
    EXPECT(isIn(R"("mended":0,"planned":0,"left":0)", repaired(in)));
    EXPECT(treeOf(in) == after);
    expectContent(in, content);
  }
}

TEST("a repair reads intact files and leaves them unchanged") {
  Database database;
  fillForRepair(database);
  database.close();
  const std::string& in = database.options.directory;
  const Tree tree = treeOf(in);
  for (const RepairWishes wishes : {RepairWishes{}, accepting(), inMilliseconds(true, false)}) {
    EXPECT(isIn(R"("kind":"end","status":"ok","mended":0,"planned":0,"left":0)",
                repaired(in, wishes)));
    EXPECT(treeOf(in) == tree);
  }
}

TEST("a database without commits is intact, and is repaired like others") {
  Database database;
  database.options.casMode = CasMode::kOff;
  database.options.metadataReadMode = MetadataReadMode::kLegacy;
  REQUIRE(database.open().ok());
  fill(database, 0);
  REQUIRE(database.flush().ok());
  const std::string content = contentOf(database);
  const std::string segment = database.segmentPaths().at(0);
  database.close();
  const std::string& in = database.options.directory;
  REQUIRE(!files::exists(path(in, "REFS")));
  const Tree tree = treeOf(in);
  EXPECT(isIn(R"("kind":"end","status":"ok","mended":0,"planned":0,"left":0)", repaired(in)));
  EXPECT(treeOf(in) == tree);
  files::rename(segment, in + "/segments/0000000077.seg");
  EXPECT(isIn(R"("kind":"end","status":"ok","mended":1)", repaired(in)));
  REQUIRE(database.open().ok());
  EXPECT(contentOf(database) == content);
}

TEST("a repair never overwrites a file in quarantine") {
  Database database;
  fillForRepair(database);
  database.close();
  const std::string& in = database.options.directory;
  for (const std::size_t at : {30, 31, 32}) {
    flip(path(in, "REFS"), at);
    EXPECT(isIn(R"("status":"mended")", repaired(in, accepting())));
  }
  database.options.metadataReadMode = MetadataReadMode::kLegacy;
  REQUIRE(database.open().ok());
  fill(database, 20);
  database.close();
  flip(path(in, "REFS"), 33);
  EXPECT(database.open().ok());
  EXPECT(database.files("quarantine") ==
         (std::vector<std::string>{"REFS.damaged", "REFS.damaged.1", "REFS.damaged.2",
                                   "REFS.damaged.3"}));
}

TEST("missing, empty or truncated REFS is reported by a verification and rebuilt by a repair") {
  Database database;
  fillForRepair(database);
  const std::uintmax_t size = files::file_size(database.path("REFS"));
  REQUIRE(snapshot(database, "first").ok());
  replaceAll(database, 40);
  const std::string content = contentOf(database);
  database.close();
  const std::string& in = database.options.directory;
  REQUIRE(isWhole(in));
  const Tree tree = treeOf(in);
  for (const auto left : {std::optional<std::uintmax_t>(), std::optional<std::uintmax_t>(0),
                          std::optional<std::uintmax_t>(10), std::optional(size)}) {
    putTree(in, tree);
    if (left) files::resize_file(path(in, "REFS"), *left);
    if (!left) files::remove(path(in, "REFS"));
    const Tree damaged = treeOf(in);
    EXPECT(!isWhole(in) && isIn(R"("file":"REFS","status":"damaged")", verified(in)));
    EXPECT(isIn(R"("file":"REFS","status":"left")", repaired(in)));
    EXPECT(treeOf(in) == damaged);
    EXPECT(isIn(R"("end","status":"ok","mended":1)", repaired(in, accepting())));
    EXPECT(isWhole(in));
    expectContent(in, content);
  }
}

TEST("a file of a newer seriesdb is refused by name in every mode, and no byte changes") {
  Database database;
  fillForRepair(database);
  const std::string wal = database.files("wal").back();
  database.close();
  const std::string& in = database.options.directory;
  const Tree tree = treeOf(in);
  for (const std::string& name : {std::string("MANIFEST"), std::string("CATALOG"),
                                  std::string("ANNOTATIONS"), std::string("REFS"), "wal/" + wal}) {
    putTree(in, tree);
    ByteBuffer bytes = seriesdb::test::contentOf(path(in, name));
    ++bytes[4];
    storeLe(bytes.data() + 16, crc32c(Bytes(bytes).first(16)));
    overwrite(path(in, name), bytes);
    const Tree later = treeOf(in);
    const auto isTold = [&](const Status& status) {
      return status.code() == StatusCode::kConfiguration && isIn(name + ": log version 2", status);
    };
    for (const MetadataReadMode mode : kReadModes) {
      database.options.metadataReadMode = mode;
      EXPECT(isTold(database.open()));
    }
    EXPECT(isTold(repaired(in, accepting()).status()));
    EXPECT(!isWhole(in) && isIn(name + ": log version 2", verified(in)));
    EXPECT(treeOf(in) == later);
  }
}

namespace {

// Appends to the log a complete record that only a later program knows.
void appendLater(const std::string& path, bool isWal) {
  ByteBuffer bytes = isWal ? reopenLog(path) : seriesdb::test::contentOf(path);
  const std::vector<std::size_t> bounds = recordBounds(bytes);
  REQUIRE(bounds.size() > 1 && bounds.back() == bytes.size());
  const auto last = log_frame::recordAt(bytes, bounds[bounds.size() - 2]);
  appendRecord(bytes, 100, last->sequence + 1, asBytes("more"));
  overwrite(path, bytes);
}

// A chunk of a later version in an undamaged segment.
void makeLaterChunk(const std::string& path, const ChunkEntry& chunk) {
  ByteBuffer bytes = seriesdb::test::contentOf(path);
  bytes[chunk.offset] = 0xC2;
  const std::size_t end = chunk.offset + chunk.size - sizeof(std::uint32_t);
  storeLe(bytes.data() + end,
          crc32c(Bytes(bytes).subspan(chunk.offset, chunk.size - sizeof(std::uint32_t))));
  overwrite(path, bytes);
}

}  // namespace

TEST("a record of a newer seriesdb is refused by name in every mode, and no byte changes") {
  Database database;
  fillForRepair(database);
  database.close();
  const std::string& in = database.options.directory;
  const std::string wal = "wal/" + database.files("wal").back();
  const Tree tree = treeOf(in);
  for (const std::string& name : {std::string("MANIFEST"), std::string("CATALOG"),
                                  std::string("ANNOTATIONS"), std::string("REFS"), wal}) {
    putTree(in, tree);
    appendLater(path(in, name), name == wal);
    const Tree later = treeOf(in);
    const auto isTold = [&](const Status& status) {
      return status.code() == StatusCode::kConfiguration && isIn(path(in, name), status) &&
             isIn("type 100 was written by a newer seriesdb", status);
    };
    for (const MetadataReadMode mode : kReadModes) {
      database.options.metadataReadMode = mode;
      EXPECT(isTold(database.open()));
    }
    EXPECT(isTold(repaired(in, accepting()).status()));
    EXPECT(!isWhole(in) && isIn("type 100 was written by a newer seriesdb", verified(in)));
    EXPECT(treeOf(in) == later);
  }
}

TEST("a chunk of a newer seriesdb is reported as such, and no repair drops it") {
  Database database;
  REQUIRE(database.open().ok());
  REQUIRE(database.ingest(lines("a", 3000)).ok() && database.flush().ok());
  database.close();
  const std::string file = database.segmentPath(1);
  const ByteBuffer whole = seriesdb::test::contentOf(file);
  const SegmentFacts facts = manifestOf(database).segments.front();
  const auto segment = Segment::open(posixFileSystem(), database.options.directory, facts);
  REQUIRE(segment.ok());
  makeLaterChunk(file, chunksOf(*segment.value(), 0).front());
  const Tree later = treeOf(database.options.directory);
  REQUIRE(database.open().ok());
  const Status refused = database.readText("a").status();
  EXPECT(refused.code() == StatusCode::kStorageCorrupt);
  EXPECT(isIn("chunk version 2 was written by a newer seriesdb", refused));
  std::promise<Result<SegmentRepair>> repair;
  database.engine().repairSegment(1, true, [&](auto one) { repair.set_value(std::move(one)); });
  EXPECT(repair.get_future().get().status().code() == StatusCode::kConfiguration);
  database.close();
  EXPECT(repaired(database.options.directory, accepting()).status().code() ==
         StatusCode::kConfiguration);
  EXPECT(seriesdb::test::contentOf(file) == later.at(file));
  overwrite(file, whole);
}
