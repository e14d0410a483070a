// Opening after a crash: for any failure at any moment, all acknowledged samples are there once,
// and untrusted files are refused by name. Proves docs/format/wal.md and README.md.
#include <algorithm>
#include <future>

#include "common/digest/checksum.h"
#include "engine_fixture.h"
#include "format/segment/segment_identity.h"

using namespace seriesdb;
using namespace seriesdb::test;

namespace {

constexpr Timestamp kDayMs = 86'400'000;

bool isIn(std::string_view part, const Status& status) {
  return status.message().find(part) != std::string::npos;
}

// Three days of two series, so that a flush makes three segments.
void ingestDay(Database& database, int day, std::map<std::string, Points>& all) {
  std::string body;
  for (const char* metric : {"a", "b"}) {
    all[metric][day * kDayMs] = day + 0.5;
    body += line(metric, day * kDayMs, day + 0.5);
  }
  REQUIRE(database.ingest(body).ok());
}
void ingestDays(Database& database, std::map<std::string, Points>& all) {
  for (int day = 0; day < 3; ++day) ingestDay(database, day, all);
}
// Makes a segment for each day.
void flushDays(Database& database, std::map<std::string, Points>& all) {
  for (int day = 0; day < 3; ++day) {
    ingestDay(database, day, all);
    REQUIRE(database.flush().ok());
  }
}

void expectAll(Database& database, const std::map<std::string, Points>& all) {
  double count = 0;
  for (const auto& [metric, points] : all) {
    EXPECT(database.read(metric) == points);
    count += static_cast<double>(points.size());
  }
  // No sample is both in a segment and in memory.
  EXPECT(database.stat("memtable_samples") + database.stat("segment_samples") == count);
}

std::string lastWal(const Database& database) {
  return database.path("wal/") + database.files("wal").back();
}

// A database with three requests in its first log file, as a crash leaves it.
std::string threeRecords(Database& database) {
  CHECK(database.open().ok());
  for (int i = 0; i < 3; ++i) CHECK(database.ingest(line("m", i, i)).ok());
  const std::string wal = lastWal(database);
  database.close();
  static_cast<void>(reopenLog(wal));
  return wal;
}

// The offset of the first request's payload; the log's begin mark comes before it.
constexpr std::size_t kFirstPayload = log_frame::kHeaderSize + 2 * log_frame::kPayloadOffset;

}  // namespace

TEST("a failed file operation of a flush loses and duplicates nothing") {
  for (const Operation operation : kOperations) {
    bool isReached = true;
    for (std::uint64_t nth = 1; isReached && nth < 40; ++nth) {
      FaultyFileSystem fs(posixFileSystem());
      Database database(fs);
      std::map<std::string, Points> all;
      REQUIRE(database.open().ok());
      ingestDays(database, all);
      const std::uint64_t before = fs.count(operation);
      fs.failAt(operation, nth);
      const Status flushed = database.flush();
      isReached = fs.count(operation) >= before + nth;
      EXPECT(isReached || flushed.ok());
      for (const auto& [metric, points] : all) EXPECT(database.read(metric) == points);
      database.close();
      fs.heal();
      if (nth % 2 == 0) fs.losePower();
      REQUIRE(database.open().ok());
      expectAll(database, all);
      database.close();
      fs.losePower();
      REQUIRE(database.open().ok());
      expectAll(database, all);
      REQUIRE(database.flush().ok());
      expectAll(database, all);
      REQUIRE(database.open().ok());
      expectAll(database, all);
    }
    EXPECT(!isReached);
  }
}

TEST("a restart syncs the records that it replays before new ones follow") {
  FaultyFileSystem fs(posixFileSystem());
  Database database(fs);
  database.options.fsync = FsyncPolicy::kNone;
  REQUIRE(database.open().ok());
  REQUIRE(database.ingest(line("m", 1, 1)).ok());
  fs.failFrom(Operation::kSync, 1);  // The process ends without the sync of an orderly close.
  database.close();
  fs.heal();
  REQUIRE(database.open().ok());
  REQUIRE(database.ingest(line("m", 2, 2)).ok());
  database.close();
  fs.losePower();
  REQUIRE(database.open().ok());
  EXPECT(database.read("m") == (Points{{1, 1}, {2, 2}}));
}

TEST("a failed file operation of a creation is completed by the next open") {
  for (const Operation operation : kOperations) {
    for (std::uint64_t nth = 1; nth < 20; ++nth) {
      FaultyFileSystem fs(posixFileSystem());
      Database database(fs);
      fs.failAt(operation, nth);
      const bool isReached = !database.open().ok();
      database.close();
      fs.heal();
      if (nth % 2 == 0) fs.losePower();
      REQUIRE(database.open().ok());
      REQUIRE(database.ingest(line("m", 1, 1)).ok());
      REQUIRE(database.open().ok());
      EXPECT(database.readText("m").value() == "[{\"ts\":1,\"value\":1}]");
      if (!isReached) break;
    }
  }
}

TEST("a failed file operation of a recovery does no harm") {
  for (const Operation operation : kOperations) {
    bool isReached = true;
    for (std::uint64_t nth = 1; isReached && nth < 20; ++nth) {
      FaultyFileSystem fs(posixFileSystem());
      Database database(fs);
      std::map<std::string, Points> all;
      REQUIRE(database.open().ok());
      ingestDays(database, all);
      REQUIRE(database.flush().ok());
      all["c"][7] = 7;
      REQUIRE(database.ingest(line("c", 7, 7)).ok());
      const std::string wal = lastWal(database);
      database.close();
      ByteBuffer torn = contentOf(wal);
      torn.push_back(1);
      overwrite(wal, torn);
      // A leftover of an unfinished flush.
      CHECK(posixFileSystem().create(database.path("segments/0000000009.seg")).ok());
      const std::uint64_t before = fs.count(operation);
      fs.failAt(operation, nth);
      static_cast<void>(database.open().ok());
      isReached = fs.count(operation) >= before + nth;
      database.close();
      fs.heal();
      REQUIRE(database.open().ok());
      expectAll(database, all);
      EXPECT(database.segmentPaths().size() == 1);
    }
    EXPECT(!isReached);
  }
}

TEST("a WAL cut within its last record keeps all earlier ones, and is cut there") {
  Database database;
  const std::string wal = threeRecords(database);
  const ByteBuffer whole = contentOf(wal);
  const std::vector<std::size_t> bounds = recordBounds(whole);
  REQUIRE(bounds.size() == 5 && bounds.back() == whole.size());
  for (std::size_t size = bounds[3]; size < bounds[4]; ++size) {
    for (const std::string& name : database.files("wal")) {
      REQUIRE(posixFileSystem().remove(database.path("wal/") + name).ok());
    }
    auto file = posixFileSystem().create(wal);
    REQUIRE(file.ok() && file.value()->append(Bytes(whole).first(size)).ok());
    REQUIRE(database.open().ok());
    EXPECT(database.read("m") == (Points{{0, 0}, {1, 1}}));
    EXPECT(database.stat("wal_torn_tails_total") == (size > bounds[3] ? 1 : 0));
    REQUIRE(database.ingest(line("m", 9, 9)).ok());
    database.close();
    // The mark that the log continues follows.
    EXPECT(contentOf(wal).size() == bounds[3] + log_frame::kPayloadOffset);
    REQUIRE(database.open().ok());
    EXPECT(database.read("m") == (Points{{0, 0}, {1, 1}, {9, 9}}));
    database.close();
  }
}

TEST("a WAL file with a torn header is replaced") {
  Database database;
  static_cast<void>(threeRecords(database));
  const std::string next = database.path("wal/0000000002.wal");
  auto file = posixFileSystem().create(next);
  REQUIRE(file.ok() && file.value()->append(asBytes("sdb")).ok());
  REQUIRE(database.open().ok());
  EXPECT(database.read("m") == (Points{{0, 0}, {1, 1}, {2, 2}}));
  REQUIRE(database.ingest(line("m", 3, 3)).ok());
  REQUIRE(database.open().ok());
  EXPECT(database.read("m")->size() == 4);
}

TEST("damage inside a WAL is refused by file and offset, and changes nothing") {
  Database database;
  const std::string wal = threeRecords(database);
  ByteBuffer bytes = contentOf(wal);
  bytes[kFirstPayload + 3] ^= 1;
  overwrite(wal, bytes);
  const Status opened = database.open();
  EXPECT(opened.code() == StatusCode::kStorageCorrupt);
  EXPECT(isIn(wal, opened) && isIn("offset 37", opened));
  EXPECT(contentOf(wal) == bytes);
}

TEST("a WAL record with a valid checksum and invalid content is refused by file and sequence") {
  for (const std::uint8_t type : {1, 3}) {
    Database database;
    const std::string wal = threeRecords(database);
    ByteBuffer bytes = contentOf(wal);
    // A sample of series 5, which no record defines; or an unknown record type.
    const ByteBuffer payload{0, 0, 1, 10, 2, 1, 2};
    appendRecord(bytes, type, 5, payload);
    overwrite(wal, bytes);
    const Status opened = database.open();
    EXPECT(opened.code() == StatusCode::kStorageCorrupt);
    EXPECT(isIn(wal, opened) && isIn("sequence 5", opened));
  }
}

TEST("a torn record at the end of an earlier WAL file is refused") {
  Database database;
  const std::string wal = threeRecords(database);
  REQUIRE(database.open().ok());
  REQUIRE(database.ingest(line("m", 4, 4)).ok());
  database.close();
  ByteBuffer bytes = contentOf(wal);
  bytes.pop_back();
  overwrite(wal, bytes);
  const Status opened = database.open();
  EXPECT(opened.code() == StatusCode::kStorageCorrupt);
  EXPECT(isIn(wal, opened) && isIn("offset", opened));
}

TEST("an unfinished rotation leaves an empty file, and the WAL continues") {
  for (const std::size_t torn : {0, 1, 16}) {
    Database database;
    const std::string wal = threeRecords(database);
    REQUIRE(database.open().ok());
    database.close();
    static_cast<void>(reopenLog(lastWal(database)));
    ByteBuffer bytes = reopenLog(wal);
    appendRecord(bytes, kContinuedMarkType, 5, {});
    bytes.resize(bytes.size() - log_frame::kPayloadOffset + torn);
    overwrite(wal, bytes);
    REQUIRE(database.open().ok());
    EXPECT(database.read("m")->size() == 3);
    REQUIRE(database.ingest(line("m", 4, 4)).ok());
    REQUIRE(database.open().ok());
    EXPECT(database.read("m")->size() == 4);
  }
}

TEST("the file of a failed rotation is older than the WAL before it, and is ignored") {
  Database database;
  const std::string wal = threeRecords(database);
  auto left = posixFileSystem().create(database.path("wal/0000000002.wal"));
  REQUIRE(left.ok());
  ByteBuffer bytes = contentOf(wal);
  bytes.resize(log_frame::kHeaderSize);
  bytes[8] = 2;
  storeLe(bytes.data() + 16, crc32c(Bytes(bytes).first(16)));
  appendRecord(bytes, kBeginMarkType, 3, {});
  REQUIRE(left.value()->append(bytes).ok());
  REQUIRE(database.open().ok());
  EXPECT(database.read("m")->size() == 3);
  EXPECT(database.files("wal").size() == 2);
}

TEST("a failed open removes no file") {
  Database database;
  const std::string wal = threeRecords(database);
  ByteBuffer bytes = contentOf(wal);
  bytes[kFirstPayload + 3] ^= 1;
  overwrite(wal, bytes);
  const std::string unnamed = database.path("segments/0000000007.seg");
  REQUIRE(posixFileSystem().create(unnamed).ok());
  EXPECT(!database.open().ok());
  EXPECT(posixFileSystem().exists(unnamed).value());
}

TEST("segments with series that are missing in CATALOG are refused, naming CATALOG") {
  Database database;
  database.options.metadataReadMode = MetadataReadMode::kLegacy;
  REQUIRE(database.open().ok());
  REQUIRE(database.ingest(line("m", 1, 1)).ok());
  REQUIRE(database.flush().ok());
  database.close();
  ByteBuffer bytes = contentOf(database.path("CATALOG"));
  bytes.resize(20);  // The file's header.
  overwrite(database.path("CATALOG"), bytes);
  const Status opened = database.open();
  EXPECT(opened.code() == StatusCode::kStorageCorrupt);
  EXPECT(isIn("CATALOG", opened));
}

TEST("a tombstone in MANIFEST of series that are missing in CATALOG is refused, naming CATALOG") {
  Database database;
  database.options.metadataReadMode = MetadataReadMode::kLegacy;
  REQUIRE(database.open().ok());
  REQUIRE(database.ingest(line("m", 1, 1)).ok());
  REQUIRE(database.flush().ok());
  const ByteBuffer earlier = contentOf(database.path("CATALOG"));
  REQUIRE(database.ingest(line("n", 1, 1) + line("n", 9, 1)).ok());
  REQUIRE(database.flush().ok());
  const auto pinned = database.engine().index();
  const SeriesIndex& index = *pinned;
  REQUIRE(database.remove({index.idOf(0), index.idOf(1)}, {0, 5}).ok());
  REQUIRE(database.flush().ok());
  database.close();
  // Now only the deletion mentions the series.
  REQUIRE(posixFileSystem().remove(database.segmentPath(2)).ok());
  overwrite(database.path("CATALOG"), earlier);
  const Status opened = database.open();
  EXPECT(opened.code() == StatusCode::kStorageCorrupt);
  EXPECT(isIn("CATALOG: series number 1 is missing, but a deletion in MANIFEST", opened));
}

TEST("a directory without MANIFEST or CATALOG is refused, naming the file") {
  for (const char* missing : {"MANIFEST", "CATALOG"}) {
    Database database;
    database.options.metadataReadMode = MetadataReadMode::kLegacy;
    REQUIRE(database.open().ok());
    database.close();
    REQUIRE(posixFileSystem().remove(database.path(missing)).ok());
    const Status opened = database.open();
    EXPECT(opened.code() == StatusCode::kStorageCorrupt);
    EXPECT(isIn(std::string(missing) + " is missing", opened));
  }
}

TEST("a missing WAL file is refused by name, in the middle and at the beginning") {
  for (const char* missing : {"0000000001.wal", "0000000002.wal"}) {
    Database database;
    for (int i = 0; i < 3; ++i) {
      REQUIRE(database.open().ok());
      REQUIRE(database.ingest(line("m", i, i)).ok());
    }
    database.close();
    REQUIRE(posixFileSystem().remove(database.path("wal/") + missing).ok());
    const Status opened = database.open();
    EXPECT(opened.code() == StatusCode::kStorageCorrupt);
    EXPECT(isIn(missing, opened));
  }
}

TEST("data without ROOT is refused and opens again once ROOT is back") {
  for (const bool isFlushed : {false, true}) {
    Database database;
    REQUIRE(database.open().ok());
    REQUIRE(database.ingest(line("m", 1, 1)).ok());
    if (isFlushed) REQUIRE(database.flush().ok());
    database.close();
    const ByteBuffer root = contentOf(database.path("ROOT"));
    REQUIRE(posixFileSystem().remove(database.path("ROOT")).ok());
    const Status opened = database.open();
    EXPECT(opened.code() == StatusCode::kStorageCorrupt);
    EXPECT(isIn("ROOT is missing", opened));
    auto file = posixFileSystem().create(database.path("ROOT"));
    REQUIRE(file.ok() && file.value()->append(root).ok());
    REQUIRE(database.open().ok());
    EXPECT(database.read("m") == (Points{{1, 1}}));
  }
}

TEST("a timestamp unit that differs from the directory's is refused") {
  Database database;
  REQUIRE(database.open().ok());
  database.close();
  database.options.unit = TimestampUnit::kSeconds;
  EXPECT(database.open().code() == StatusCode::kUnitMismatch);
}

TEST("an open directory is locked") {
  Database database;
  REQUIRE(database.open().ok());
  EXPECT(Engine::open(posixFileSystem(), database.options).status().code() == StatusCode::kLocked);
}

TEST("a damaged segment is quarantined: its range is refused, the rest is served") {
  Database database;
  std::map<std::string, Points> all;
  REQUIRE(database.open().ok());
  flushDays(database, all);
  database.close();
  const std::string segment = database.segmentPath(2);
  ByteBuffer bytes = contentOf(segment);
  bytes[bytes.size() - 20] ^= 1;  // In the footer.
  overwrite(segment, bytes);
  REQUIRE(database.open().ok());
  EXPECT(database.stat("segments_quarantined") == 1);
  EXPECT(!database.engine().degradedReasons().empty());
  const auto refused = database.readText("a");
  EXPECT(refused.status().code() == StatusCode::kStorageCorrupt);
  EXPECT(isIn(hashIn(segment), refused.status()));
  EXPECT(database.read("a", {0, kDayMs - 1}) == (Points{{0, 0.5}}));
  EXPECT(database.read("b", {2 * kDayMs, INT64_MAX}) == (Points{{2 * kDayMs, 2.5}}));
  // Writes continue, and the file is kept.
  EXPECT(database.ingest(line("a", 3 * kDayMs, 1)).ok());
  EXPECT(database.flush().ok());
  EXPECT(contentOf(segment) == bytes);
  // So is a series with all its samples in there.
  EXPECT(database.readText("only").status().code() == StatusCode::kStorageCorrupt);
}

TEST("a segment of a newer seriesdb is reported as such, and no repair drops it") {
  Database database;
  REQUIRE(database.open().ok());
  REQUIRE(database.ingest(line("a", 0, 1)).ok() && database.flush().ok());
  database.close();
  const std::string segment = database.segmentPath(1);
  const ByteBuffer whole = contentOf(segment);
  ByteBuffer bytes = whole;
  bytes[8] = 99;
  ByteBuffer crc;
  appendLe(crc, crc32c(Bytes(bytes).first(20)));
  std::copy(crc.begin(), crc.end(), bytes.begin() + 20);
  overwrite(segment, bytes);
  EXPECT(isOfLaterProgram(posixFileSystem(), segment));
  REQUIRE(database.open().ok());
  EXPECT(database.readText("a").status().code() == StatusCode::kStorageCorrupt);
  const auto reasons = database.engine().degradedReasons();
  REQUIRE(reasons.size() == 1);
  EXPECT(reasons[0].find("segment version 99 was written by a newer seriesdb") !=
         std::string::npos);
  std::promise<Result<SegmentRepair>> repaired;
  database.engine().repairSegment(1, true, [&](auto one) { repaired.set_value(std::move(one)); });
  EXPECT(repaired.get_future().get().status().code() == StatusCode::kConfiguration);
  EXPECT(contentOf(segment) == bytes);
  overwrite(segment, whole);
}

TEST("a damaged chunk is never returned as values") {
  Database database;
  std::map<std::string, Points> all;
  REQUIRE(database.open().ok());
  // Chunks of this many samples have their own checksums.
  std::string body;
  for (const char* metric : {"a", "b"}) {
    for (int i = 0; i < 200; ++i) {
      all[metric][i * 10 + i % 3] = i % 7;
      body += line(metric, i * 10 + i % 3, i % 7);
    }
  }
  REQUIRE(database.ingest(body).ok() && database.flush().ok());
  ingestDay(database, 1, all);
  REQUIRE(database.flush().ok());
  database.close();
  const std::string segment = database.segmentPath(1);
  ByteBuffer bytes = contentOf(segment);
  bytes[24 + 6] ^= 1;  // The first chunk, of the first series.
  overwrite(segment, bytes);
  REQUIRE(database.open().ok());
  EXPECT(database.engine().degradedReasons().empty());
  const Status refused = database.readText("a").status();
  EXPECT(refused.code() == StatusCode::kStorageCorrupt);
  EXPECT(isIn("samples from 0 to ", refused) && isIn(hashIn(segment), refused));
  EXPECT(!isIn(database.options.directory, refused));
  EXPECT(database.engine().degradedReasons() == std::vector<std::string>{refused.message()});
  EXPECT(database.stat("writes_blocked") == 0);
  EXPECT(database.read("b") == all["b"]);
  EXPECT(database.read("a", {kDayMs, INT64_MAX})->size() == 1);
}
