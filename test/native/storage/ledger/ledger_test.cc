// The two descriptions of a database: answers are the same from either, after any failure at any
// place.
#include "storage/ledger/ledger.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <random>

#include "ledger_fixture.h"
#include "storage/compactor/timed_database.h"
#include "storage/engine/engine_open.h"

using namespace seriesdb;
using namespace seriesdb::test;

namespace {

std::size_t segmentCount(const Database& database) {
  return static_cast<std::size_t>(database.stat("segments"));
}

bool areThere(const std::vector<std::string>& paths) {
  return std::ranges::all_of(
      paths, [](const std::string& path) { return std::filesystem::exists(path); });
}

}  // namespace

TEST("MANIFEST and REFS describe the same database after every kind of edit") {
  for (const MetadataReadMode mode : kReadModes) {
    Database database;
    database.options.metadataReadMode = mode;
    REQUIRE(database.open().ok());
    fill(database, 0);
    expectSettled(database);
    EXPECT(database.compact().ok());
    fill(database, 10);
    EXPECT(database.stat("cas_sync_total") >= 9);
    expectSettled(database);
    const std::string content = contentOf(database);
    expectSameInAllModes(database, content);
    database.options.metadataReadMode = mode;
    REQUIRE(database.open().ok());
    fill(database, 20);
    expectSameInAllModes(database, contentOf(database));
    expectSettled(database);
    for (const std::string& path : database.segmentPaths()) {
      const ByteBuffer bytes = seriesdb::test::contentOf(path);
      EXPECT(sha256(bytes).text() == hashIn(path));
    }
    EXPECT(database.files("segments").empty());
  }
}

TEST("a database opens from its commit without the plain files, which are rebuilt") {
  for (const auto& missing : {std::vector<std::string>{"MANIFEST"}, {"CATALOG"}, {"ANNOTATIONS"},
                              {"MANIFEST", "CATALOG", "ANNOTATIONS"}}) {
    for (const bool isDamaged : {false, true}) {
      Database database;
      REQUIRE(database.open().ok());
      fill(database, 0);
      const std::string content = contentOf(database);
      database.close();
      for (const std::string& name : missing) {
        if (isDamaged) {
          ByteBuffer bytes = seriesdb::test::contentOf(database.path(name));
          bytes[30] ^= 1;
          overwrite(database.path(name), bytes);
        } else {
          REQUIRE(posixFileSystem().remove(database.path(name)).ok());
        }
      }
      REQUIRE(database.open().ok());
      EXPECT(contentOf(database) == content);
      fill(database, 10);
      expectSameInAllModes(database, contentOf(database));
    }
  }
}

TEST("without REFS a database opens in every mode, and REFS is rebuilt") {
  for (const MetadataReadMode mode : kReadModes) {
    Database database;
    REQUIRE(database.open().ok());
    fill(database, 0);
    const std::string content = contentOf(database);
    database.close();
    REQUIRE(posixFileSystem().remove(database.path("REFS")).ok());
    database.options.metadataReadMode = mode;
    REQUIRE(database.open().ok());
    EXPECT(contentOf(database) == content);
    expectSettled(database);
    expectSameInAllModes(database, content);
  }
}

TEST("damaged REFS is refused by name in primary mode, and quarantined in legacy mode") {
  Database database;
  REQUIRE(database.open().ok());
  fill(database, 0);
  const std::string content = contentOf(database);
  database.close();
  ByteBuffer bytes = seriesdb::test::contentOf(database.path("REFS"));
  bytes[60] ^= 1;
  overwrite(database.path("REFS"), bytes);
  const Status refused = database.open();
  EXPECT(refused.code() == StatusCode::kStorageCorrupt);
  EXPECT(refused.message().find("REFS") != std::string::npos);
  EXPECT(seriesdb::test::contentOf(database.path("REFS")) == bytes);
  database.options.metadataReadMode = MetadataReadMode::kLegacy;
  REQUIRE(database.open().ok());
  EXPECT(contentOf(database) == content);
  EXPECT(!database.engine().degradedReasons().empty());
  EXPECT(seriesdb::test::contentOf(database.path("quarantine/REFS.damaged")) == bytes);
  expectSameInAllModes(database, content);
  expectSettled(database);
}

TEST("shadow mode counts the differences, serves MANIFEST, and then makes both equal") {
  std::vector<std::unique_ptr<Database>> both;
  for (const char* metric : {"a", "b"}) {
    both.push_back(std::make_unique<Database>());
    REQUIRE(both.back()->open().ok());
    REQUIRE(both.back()->ingest(described(metric, 1, 1)).ok());
    REQUIRE(both.back()->flush().ok());
    both.back()->close();
  }
  Database& database = *both.front();
  overwrite(database.path("REFS"), seriesdb::test::contentOf(both.back()->path("REFS")));
  database.options.metadataReadMode = MetadataReadMode::kShadow;
  REQUIRE(database.open().ok());
  // The mismatches: a series, and in each description two parts of a descriptor that the other
  // lacks. The segments are the same bytes, because they name series by number.
  EXPECT(database.stat("cas_shadow_mismatch_total") == 5);
  EXPECT(database.engine().degradedReasons().size() == 1);
  EXPECT(database.read("a") == (Points{{1, 1}}));
  const std::string content = contentOf(database);
  expectSameInAllModes(database, content);
  expectSettled(database);
}

TEST("without commits the plain files decide, and later commits start from them") {
  Database database;
  REQUIRE(database.open().ok());
  fill(database, 0);
  database.options.casMode = CasMode::kOff;
  database.options.metadataReadMode = MetadataReadMode::kLegacy;
  REQUIRE(database.open().ok());
  fill(database, 10);
  EXPECT(database.compact().ok());
  const std::string content = contentOf(database);
  EXPECT(database.stat("legacy_segment_descriptors") == database.stat("segments"));
  EXPECT(database.stat("cas_sync_total") == 0);
  database.options.casMode = CasMode::kDualWrite;
  database.options.metadataReadMode = MetadataReadMode::kPrimary;
  REQUIRE(database.open().ok());
  EXPECT(contentOf(database) == content);
  expectSettled(database);
  expectSameInAllModes(database, content);
}

TEST("the retention clock and removed classes are the same in MANIFEST and REFS") {
  for (const MetadataReadMode mode : kReadModes) {
    TimedDatabase timed;
    Database& database = timed.database;
    database.options.metadataReadMode = mode;
    timed.setRules({{"cpu", 30 * kDayMs}});
    REQUIRE(timed.open().ok());
    for (int i = 1; i <= 6; ++i) {
      timed.setRules({{"cpu", (200 + i) * kDayMs}});
      REQUIRE(database.ingest(line("cpu", kBegin - 300 * kDayMs, i)).ok());
      REQUIRE(timed.live("cpu").ok() && timed.live("mem").ok());
      REQUIRE(database.flush().ok());
      EXPECT(database.compact().ok());
      timed.time.advance(kHourMs);
      const ManifestState plain = timed.manifest();
      const auto refs = readRefs(posixFileSystem(), database.options.directory);
      REQUIRE(refs.ok() && refs.value().states.size() == 1);
      const ManifestState& committed = refs.value().states.front().state;
      EXPECT(plain.classes == committed.classes && plain.segments == committed.segments);
      EXPECT(plain.retentionClock == committed.retentionClock);
      EXPECT(plain.retentionMark == committed.retentionMark && plain.retentionMark != 0);
    }
    expectSettled(database);
    // Older classes without segments were removed.
    EXPECT(timed.manifest().classes.front().number > 1);
    expectSameInAllModes(database, contentOf(database));
  }
}

TEST("a failed file operation of a flush or compaction leaves MANIFEST and REFS equal") {
  const std::uint64_t first = 1 + seed() % kOddStride;
  for (const MetadataReadMode mode : kReadModes) {
    for (const Operation operation : kOperations) {
      bool isReached = true;
      for (std::uint64_t nth = first; isReached && nth < 40; nth += kOddStride) {
        FaultyFileSystem fs(posixFileSystem());
        Database database(fs);
        database.options.metadataReadMode = mode;
        REQUIRE(database.open().ok());
        fill(database, 0);
        REQUIRE(database.ingest(described("new", 1, 1) + line("same", 0, 7)).ok());
        REQUIRE(annotate(database, "x").ok());
        const std::string content = contentOf(database);
        const std::uint64_t before = fs.count(operation);
        fs.failAt(operation, nth);
        static_cast<void>(database.flush().ok());
        static_cast<void>(database.compact().ok());
        isReached = fs.count(operation) >= before + nth;
        EXPECT(contentOf(database) == content);
        database.close();
        fs.heal();
        if (nth % 2 == 0) fs.losePower();
        database.options.metadataReadMode = kReadModes[nth % kReadModes.size()];
        REQUIRE(database.open().ok());
        EXPECT(contentOf(database) == content);
        EXPECT(database.stat("cas_shadow_mismatch_total") == 0);
        expectSameInAllModes(database, content);
        expectSettled(database);
        EXPECT(database.flush().ok() && database.compact().ok());
        expectSameInAllModes(database, content);
        EXPECT(database.segmentPaths().size() ==
               static_cast<std::size_t>(database.stat("segments")));
      }
    }
  }
}

TEST("in legacy mode an edit is valid without its commit, and WAL files stay until the commit") {
  FaultyFileSystem fs(posixFileSystem());
  Database database(fs);
  database.options.metadataReadMode = MetadataReadMode::kLegacy;
  REQUIRE(database.open().ok());
  fill(database, 0);
  // A flush appends to CATALOG, ANNOTATIONS, the segment, MANIFEST, and then to REFS.
  for (std::uint64_t nth = 1; nth < 12; ++nth) {
    REQUIRE(database.open().ok());
    REQUIRE(database.ingest(line("x", static_cast<Timestamp>(nth), 1)).ok());
    fs.failFrom(Operation::kAppend, nth, StatusCode::kStorageUnavailable);
    static_cast<void>(database.flush().ok());
    if (database.stat("cas_sync_failed_total") != 0) break;
    fs.heal();
  }
  REQUIRE(database.stat("cas_sync_failed_total") > 0);
  EXPECT(database.stat("writes_blocked") == 0);
  EXPECT(database.engine().degradedReasons().size() == 1);
  EXPECT(database.stat("legacy_segment_descriptors") == 1);
  EXPECT(database.files("wal").size() > 1);
  const std::string content = contentOf(database);
  // A restart that reads the commit finds the earlier state, and the rest in the log.
  const std::string copy = temporaryDirectory() + "/copy";
  std::filesystem::copy(database.options.directory, copy,
                        std::filesystem::copy_options::recursive);
  Database other;
  other.options.directory = copy;
  REQUIRE(other.open().ok());
  EXPECT(contentOf(other) == content);
  fs.heal();
  // This needs no other edit, and is done before the second flush is answered.
  REQUIRE(database.flush().ok() && database.flush().ok());
  expectSettled(database);
  EXPECT(database.files("wal").size() == 1);
  expectSameInAllModes(database, contentOf(database));
}

TEST("REFS is rewritten when few of its objects live, and stays small") {
  Database database;
  REQUIRE(database.open().ok());
  std::uint64_t largest = 0;
  for (int i = 0; i < 300; ++i) {
    REQUIRE(database.ingest(line("m", i, i)).ok());
    REQUIRE(database.flush().ok());
    if (i % 8 == 7) EXPECT(database.compact().ok());
    largest = std::max<std::uint64_t>(largest, std::filesystem::file_size(database.path("REFS")));
  }
  EXPECT(largest < 80'000);
  expectSameInAllModes(database, contentOf(database));
}

TEST("a loose tag is counted, moves into REFS, and always keeps its segments") {
  Database database;
  REQUIRE(database.open().ok());
  fill(database, 0);
  const std::vector<std::string> tagged = database.segmentPaths();
  database.close();
  tagHead(database, "v1");
  REQUIRE(database.open().ok());
  EXPECT(database.stat("loose_refs_present") == 1);
  EXPECT(database.compact().ok());
  EXPECT(segmentCount(database) < tagged.size() && areThere(tagged));
  database.close();
  {
    const auto opened = openDatabase(posixFileSystem(), database.options);
    REQUIRE(opened.ok());
    const auto ledger = opened.value()->description.manifest.hold();
    EXPECT(ledger->packTags().ok());
  }
  EXPECT(database.files("refs/tags").empty());
  const auto refs = readRefs(posixFileSystem(), database.options.directory);
  REQUIRE(refs.ok() && refs.value().states.size() == 2);
  EXPECT(refs.value().states.back().state.segments.size() == tagged.size());
  REQUIRE(database.open().ok());
  expectSettled(database);
  fill(database, 10);
  EXPECT(database.compact().ok());
  EXPECT(areThere(tagged));
  expectSameInAllModes(database, contentOf(database));
  EXPECT(areThere(tagged));
}

TEST("while a tag is unreadable, no segment file is removed") {
  Database database;
  REQUIRE(database.open().ok());
  fill(database, 0);
  const std::vector<std::string> tagged = database.segmentPaths();
  database.close();
  tagHead(database, "v1");
  ByteBuffer bytes = seriesdb::test::contentOf(database.path("refs/tags/v1"));
  bytes[60] ^= 1;
  overwrite(database.path("refs/tags/v1"), bytes);
  REQUIRE(database.open().ok());
  EXPECT(database.stat("loose_refs_present") == 1);
  EXPECT(database.compact().ok());
  EXPECT(segmentCount(database) < tagged.size() && areThere(tagged));
  expectSameInAllModes(database, contentOf(database));
  EXPECT(areThere(tagged));
}

TEST("edits missing in REFS are reported after primary mode, and not after the other modes") {
  for (const MetadataReadMode mode : kReadModes) {
    Database database;
    database.options.metadataReadMode = mode;
    database.options.compaction.factor = 4;
    REQUIRE(database.open().ok());
    fill(database, 0);
    const std::string before = temporaryDirectory() + "/before";
    std::filesystem::copy(database.options.directory, before,
                          std::filesystem::copy_options::recursive);
    REQUIRE(database.compactDue().ok() && database.stat("compactions_total") == 1);
    const std::string content = contentOf(database);
    database.close();
    // The inputs of the merge are there, but REFS lacks the edit.
    std::filesystem::copy(before + "/objects", database.path("objects"),
                          std::filesystem::copy_options::recursive |
                              std::filesystem::copy_options::skip_existing);
    overwrite(database.path("REFS"), seriesdb::test::contentOf(before + "/REFS"));
    for (const MetadataReadMode next : kReadModes) {
      Database copy;
      std::filesystem::copy(database.path(""), copy.path(""),
                            std::filesystem::copy_options::recursive);
      copy.options.metadataReadMode = next;
      REQUIRE(copy.open().ok());
      EXPECT(contentOf(copy) == content);
      const auto reasons = copy.engine().degradedReasons();
      const bool isTold = reasons.size() == 1 &&
                          reasons.front().find("REFS lacked edits") != std::string::npos;
      EXPECT(mode == MetadataReadMode::kPrimary ? isTold : reasons.empty());
      EXPECT((copy.segmentPaths().size() > segmentCount(copy)) == isTold);
      expectSameInAllModes(copy, content);
    }
  }
}

TEST("if REFS lost its end, a newer MANIFEST decides until both are equal") {
  for (const std::size_t rest : {std::size_t{0}, std::size_t{20}}) {
    FaultyFileSystem fs(posixFileSystem());
    Database database(fs);
    REQUIRE(database.open().ok());
    fill(database, 0);
    const std::uintmax_t before = std::filesystem::file_size(database.path("REFS"));
    // Edits that REFS will lack have removed the inputs.
    REQUIRE(database.ingest(line("x", 1, 1)).ok() && database.flush().ok());
    REQUIRE(database.compact().ok());
    const std::string content = contentOf(database);
    database.close();
    ByteBuffer bytes = test::contentOf(database.path("REFS"));
    bytes.resize(static_cast<std::size_t>(before) + rest);
    overwrite(database.path("REFS"), bytes);
    // If a start finds no room, it cuts the torn record and does nothing more.
    for (std::uint64_t nth = 1; nth <= 3; ++nth) {
      fs.failFrom(Operation::kAppend, nth, StatusCode::kStorageUnavailable);
      if (database.open().ok()) EXPECT(contentOf(database) == content);
      database.close();
      fs.heal();
    }
    REQUIRE(database.open().ok());
    EXPECT(contentOf(database) == content);
    // The health reason about the loss is gone after the next start.
    REQUIRE(database.open().ok());
    expectSettled(database);
    expectSameInAllModes(database, content);
  }
}

TEST("a truncated REFS is reported, even if no file depends on the lost part") {
  Database database;
  REQUIRE(database.open().ok());
  fill(database, 0);
  const std::uintmax_t before = std::filesystem::file_size(database.path("REFS"));
  REQUIRE(database.ingest(line("x", 1, 1)).ok() && database.flush().ok());
  const std::string content = contentOf(database);
  database.close();
  std::filesystem::resize_file(database.path("REFS"), before);
  REQUIRE(database.open().ok());
  const auto reasons = database.engine().degradedReasons();
  EXPECT(reasons.size() == 1 &&
         reasons.front().find("REFS lacked edits") != std::string::npos);
  EXPECT(contentOf(database) == content);
  REQUIRE(database.open().ok());
  EXPECT(database.engine().degradedReasons().empty() && contentOf(database) == content);
}

TEST("an old directory whose first start had no space has the same content in every mode") {
  for (std::uint64_t nth = 1; nth <= 5; ++nth) {
    FaultyFileSystem fs(posixFileSystem());
    Database database(fs);
    REQUIRE(database.open().ok());
    fill(database, 0);
    const std::string content = contentOf(database);
    database.close();
    ManifestState state = readManifest(fs, database.options.directory).value().state;
    state.seriesCount = 0;
    state.editNumber = 0;
    REQUIRE(Manifest::replace(fs, database.options.directory, state).ok());
    std::filesystem::remove(database.path("REFS"));
    fs.failAt(Operation::kAppend, nth, StatusCode::kStorageUnavailable);
    const Status opened = database.open();
    fs.heal();
    if (!opened.ok()) REQUIRE(database.open().ok());
    EXPECT(contentOf(database) == content);
    // The first edit does not record the number of series.
    EXPECT(database.compact().ok());
    EXPECT(contentOf(database) == content);
    expectSameInAllModes(database, content);
  }
}

TEST("with commits off REFS gets no commit, also after failed syncs") {
  FaultyFileSystem fs(posixFileSystem());
  Database database(fs);
  REQUIRE(database.open().ok());
  fill(database, 0);
  database.options.casMode = CasMode::kOff;
  database.options.metadataReadMode = MetadataReadMode::kLegacy;
  REQUIRE(database.open().ok());
  REQUIRE(database.ingest(line("x", 1, 1)).ok());
  // The syncs of CATALOG, of the segment, and then of REFS.
  for (std::uint64_t nth = 1; nth <= 3; ++nth) {
    fs.failAt(Operation::kSync, nth);
    static_cast<void>(database.flush().ok());
    fs.heal();
    if (database.stat("writes_blocked") != 0) REQUIRE(database.open().ok());
  }
  EXPECT(database.flush().ok());
  const std::string content = contentOf(database);
  EXPECT(database.stat("cas_sync_total") == 0);
  database.options.casMode = CasMode::kDualWrite;
  expectSameInAllModes(database, content);
}

TEST("unreadable parts of REFS are rewritten by the next edit in primary mode") {
  Database database;
  REQUIRE(database.open().ok());
  fill(database, 0);
  // In place, like a bad sector: the open file stays the same.
  const std::string path = database.path("REFS");
  const std::size_t size = seriesdb::test::contentOf(path).size();
  std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
  file.seekp(100);
  for (std::size_t at = 100; at < size; ++at) file.put('x');
  file.close();
  fill(database, 10);
  EXPECT(database.engine().degradedReasons().empty());
  const std::string content = contentOf(database);
  expectSameInAllModes(database, content);
  EXPECT(!std::filesystem::exists(database.path("quarantine")));
}
