// Verification of undamaged directories, with every byte flipped, and while open. It changes
// nothing.
#include <sys/stat.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <random>

#include "common/file/read_only_file_system.h"
#include "lines_fixture.h"
#include "maintenance/inspect/segment_check.h"
#include "maintenance/inspection.h"
#include "maintenance/verification.h"
#include "storage/engine/engine_fixture.h"

using namespace seriesdb;
using namespace seriesdb::test;

namespace {

constexpr std::size_t kFirstChunkAt = 24;  // The offset in a segment.

Lines verify(const std::string& directory) {
  Verification verification(readOnlyFileSystem(), directory);
  return linesOf(verification);
}

// The path of the segment with that number, relative to the directory.
std::string segmentName(const Database& database, std::uint64_t number) {
  const std::string path = database.segmentPath(number);
  CHECK(!path.empty());
  return path.substr(database.options.directory.size() + 1);
}

bool has(const Lines& lines, std::string_view part) {
  return std::any_of(lines.begin(), lines.end(), [part](const std::string& line) {
    return line.find(part) != std::string::npos;
  });
}
bool isClean(const Lines& lines) {
  return !lines.empty() && lines.back().find(R"("end","status":"ok")") != std::string::npos;
}

void writeFile(const std::string& path, Bytes bytes) {
  std::ofstream file(path, std::ios::binary | std::ios::trunc);
  const auto size = static_cast<std::streamsize>(bytes.size());
  file.write(reinterpret_cast<const char*>(bytes.data()), size);
}

// Content and modification time of each file and folder.
std::map<std::string, std::pair<ByteBuffer, std::filesystem::file_time_type>> stateOf(
    const std::string& directory) {
  std::map<std::string, std::pair<ByteBuffer, std::filesystem::file_time_type>> state;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(directory)) {
    ByteBuffer bytes;
    if (entry.is_regular_file()) bytes = contentOf(entry.path().string());
    state[entry.path().string()] = {bytes, entry.last_write_time()};
  }
  return state;
}

// Two segments under a deletion, an annotation, and a log with records of every kind.
void fill(Database& database, std::string_view last = "b") {
  REQUIRE(database.open().ok());
  EXPECT(database.ingest(lines("a", 50) + line("b", 7, -0.0) + line("b", 8, 5e-324)).ok());
  Annotation note;
  note.kind = "deploy";
  note.title = "one";
  std::promise<bool> noted;
  database.engine().annotate(note, [&noted](const auto& one) { noted.set_value(one.ok()); });
  EXPECT(noted.get_future().get());
  REQUIRE(database.flush().ok());
  const auto ref = database.index()->findByName("a");
  REQUIRE(ref.ok() && ref.value());
  const SeriesId id = database.index()->idOf(*ref.value());
  EXPECT(database.remove({id}, {10, 20}).ok());
  EXPECT(database.ingest(line("a", INT64_MAX, 1e300) + line("b", INT64_MIN, 0.1)).ok());
  REQUIRE(database.flush().ok());
  EXPECT(database.ingest(line("a", 15, 1) + line(last, 9, 2)).ok());
  EXPECT(database.remove({id}, {30, 31}).ok());
}

}  // namespace

TEST("a whole directory is verified file by file, and no byte changes") {
  Database database;
  fill(database);
  database.close();
  const auto before = stateOf(database.options.directory);
  const Lines found = verify(database.options.directory);
  EXPECT(isClean(found));
  EXPECT(found.front().find(R"({"kind":"plan","files":8,"bytes":)") == 0);
  for (const std::string& name :
       {std::string("ROOT"), std::string("MANIFEST"), std::string("CATALOG"),
        std::string("ANNOTATIONS"), std::string("REFS"), std::string("wal/0000000003.wal"),
        segmentName(database, 1), segmentName(database, 2)}) {
    EXPECT(has(found, R"("file":")" + name + R"(","status":"ok")"));
  }
  EXPECT(has(found, R"({"kind":"recovery","status":"ok"})"));
  EXPECT(stateOf(database.options.directory) == before);
}

TEST("a directory after a crash is verified and opened for reading, and stays unchanged") {
  Database database;
  fill(database);
  const std::string copy = temporaryDirectory() + "/copy";
  std::filesystem::copy(database.options.directory, copy, std::filesystem::copy_options::recursive);
  const Points expected = *database.read("a");
  database.close();
  // A record that is partly written.
  const std::string log = copy + "/wal/0000000003.wal";
  ByteBuffer bytes = contentOf(log);
  bytes.insert(bytes.end(), {1, 2, 3, 4, 5});
  writeFile(log, bytes);
  writeFile(copy + "/objects/tmp/0000000009", bytes);
  const auto before = stateOf(copy);
  const Lines found = verify(copy);
  EXPECT(isClean(found));
  EXPECT(has(found, R"("torn_bytes":5)"));

  Database reader(readOnlyFileSystem());
  reader.options.directory = copy;
  reader.options.isReadOnly = true;
  REQUIRE(reader.open().ok());
  EXPECT(*reader.read("a") == expected);
  // Other readers are allowed.
  EXPECT(isClean(verify(copy)));
  EXPECT(reader.engine().admit().code() == StatusCode::kStorageUnavailable);
  EXPECT(reader.flush().code() == StatusCode::kStorageUnavailable);
  EXPECT(reader.compact().status().code() == StatusCode::kStorageUnavailable);
  EXPECT(!reader.ingest(line("a", 1, 1)).ok());
  EXPECT(!reader.remove({1}, kAllTime).ok());
  // Writers are not allowed.
  Database writer;
  writer.options.directory = copy;
  EXPECT(writer.open().code() == StatusCode::kLocked);
  EXPECT(reader.tryClose().ok());
  EXPECT(stateOf(copy) == before);
}

TEST("a directory open for writing cannot be verified, inspected or read by another") {
  Database database;
  fill(database);
  const Lines found = verify(database.options.directory);
  REQUIRE(found.size() == 1);
  EXPECT(has(found, "is held by process"));
  Inspection inspection(readOnlyFileSystem(), database.options.directory, {});
  EXPECT(has(linesOf(inspection), "is held by process"));
  Database reader(readOnlyFileSystem());
  reader.options.directory = database.options.directory;
  reader.options.isReadOnly = true;
  EXPECT(reader.open().code() == StatusCode::kLocked);
}

TEST("a directory without a database cannot be verified or opened for reading, and stays empty") {
  const std::string nowhere = temporaryDirectory() + "/nothing";
  EXPECT(has(verify(nowhere), "failed: there is no database in "));
  Database reader(readOnlyFileSystem());
  reader.options.directory = nowhere;
  reader.options.isReadOnly = true;
  EXPECT(reader.open().code() == StatusCode::kIo);
  std::filesystem::create_directory(nowhere);
  EXPECT(reader.open().code() == StatusCode::kIo);
  EXPECT(std::filesystem::is_empty(nowhere));
}

LONE_TEST("a flip of any byte of a segment is found") {
  Database database;
  fill(database);
  database.close();
  for (const std::string& path : database.segmentPaths()) {
    const std::string name = path.substr(database.options.directory.size() + 1);
    const ByteBuffer whole = contentOf(path);
    std::size_t missed = 0;
    for (std::size_t at = 0; at < whole.size(); at += kStride) {
      ByteBuffer damaged = whole;
      damaged[at] ^= 0x10;
      writeFile(path, damaged);
      const Lines found = verify(database.options.directory);
      const bool isFound = has(found, name + R"(","status":"damaged")") && !isClean(found);
      missed += isFound ? 0 : 1;
    }
    EXPECT(missed == 0);
    writeFile(path, whole);
  }
  EXPECT(isClean(verify(database.options.directory)));
}

TEST("a damaged chunk is reported with its time range, and a missing segment by its name") {
  Database database;
  fill(database);
  database.close();
  const std::string name = segmentName(database, 1);
  const std::string path = database.path(name);
  ByteBuffer bytes = contentOf(path);
  bytes[kFirstChunkAt] ^= 1;  // The first chunk, of `a`.
  writeFile(path, bytes);
  Lines found = verify(database.options.directory);
  EXPECT(
      has(found, R"("start":0,"end":49,"problems":["samples from 0 to 49 are in a damaged chunk)"));
  std::filesystem::remove(path);
  found = verify(database.options.directory);
  EXPECT(has(found, name + R"(","status":"damaged")"));
  EXPECT(has(found, R"("kind":"end","status":"damaged","files":8,"damaged":1)"));
}

TEST("damage in a log is reported, or counts as a torn tail, and a server start agrees") {
  Database database;
  fill(database, "c");
  EXPECT(database.ingest(line("a", 16, 1)).ok());
  database.close();
  for (const char* name : {"MANIFEST", "CATALOG", "wal/0000000003.wal", "ROOT", "REFS"}) {
    const std::string path = database.path(name);
    const ByteBuffer whole = contentOf(path);
    const std::size_t step = kStride * (1 + whole.size() / 512);
    for (std::size_t at = 0; at < whole.size(); at += step) {
      ByteBuffer damaged = whole;
      damaged[at] ^= 0x20;
      writeFile(path, damaged);
      const Lines found = verify(database.options.directory);
      EXPECT(!isClean(found) || has(found, "torn_bytes"));
      // A server agrees. It opens a copy, which it may change.
      const std::string copy = temporaryDirectory() + "/copy";
      if (at / step % 16 != 0) continue;
      std::filesystem::copy(database.options.directory, copy,
                            std::filesystem::copy_options::recursive);
      Database server;
      server.options.directory = copy;
      EXPECT(server.open().ok() == has(found, R"({"kind":"recovery","status":"ok"})"));
    }
    writeFile(path, whole);
  }
}

TEST("without MANIFEST segments are verified by the commit, and without REFS on their own") {
  Database database;
  fill(database);
  database.close();
  const std::string whole = segmentName(database, 1);
  const std::string damaged = segmentName(database, 2);
  std::filesystem::remove(database.path("MANIFEST"));
  ByteBuffer bytes = contentOf(database.path(damaged));
  bytes[kFirstChunkAt] ^= 1;
  writeFile(database.path(damaged), bytes);
  for (const bool hasRefs : {true, false}) {
    if (!hasRefs) std::filesystem::remove(database.path("REFS"));
    const Lines found = verify(database.options.directory);
    EXPECT(has(found, R"(MANIFEST","status":"damaged")"));
    EXPECT(has(found, whole + R"(","status":"ok")"));
    EXPECT(has(found, damaged + R"(","status":"damaged")"));
    EXPECT(has(found, R"(REFS","status":"ok")") == hasRefs);
  }
}

TEST("a segment whose content does not match the hash in its name is found") {
  Database database;
  fill(database);
  database.close();
  const std::string name = segmentName(database, 1);
  ByteBuffer bytes = contentOf(database.path(name));
  const std::string other = segmentName(database, 2);
  writeFile(database.path(name), contentOf(database.path(other)));
  const Lines found = verify(database.options.directory);
  EXPECT(has(found, name + R"(","status":"damaged")"));
  EXPECT(has(found, "its content does not match the hash in its name"));
  writeFile(database.path(name), bytes);
  EXPECT(isClean(verify(database.options.directory)));
}

TEST("an open database is verified beside ingest, flushes and compactions") {
  Database database;
  fill(database);
  for (int round = 0; round < 6; ++round) {
    Verification verification(posixFileSystem(), database.options.directory,
                              database.engine().pinFiles());
    std::string piece;
    REQUIRE(verification.next(piece).ok());
    EXPECT(database.ingest(line("a", 1000 + round, 1)).ok());
    if (round % 2 == 0) EXPECT(database.flush().ok());
    if (round % 3 == 0) EXPECT(database.compact().ok());
    const Lines found = linesOf(verification);
    EXPECT(isClean(found));
    EXPECT(!has(found, "recovery"));
  }
  // Damage in the open database is found too.
  const std::string path = database.segmentPaths().front();
  const std::string name = path.substr(database.options.directory.size() + 1);
  ByteBuffer bytes = contentOf(path);
  bytes[kFirstChunkAt] ^= 1;
  writeFile(path, bytes);
  Verification verification(posixFileSystem(), database.options.directory,
                            database.engine().pinFiles());
  EXPECT(has(linesOf(verification), name + R"(","status":"damaged")"));
}

TEST("a cancelled verification ends with an error, and a finished one returns nothing more") {
  Database database;
  fill(database);
  database.close();
  Verification stopped(readOnlyFileSystem(), database.options.directory);
  std::string piece;
  EXPECT(stopped.next(piece).ok());
  stopped.cancel();
  EXPECT(stopped.next(piece).code() == StatusCode::kClosed);
  Verification whole(readOnlyFileSystem(), database.options.directory);
  EXPECT(isClean(linesOf(whole)));
  EXPECT(whole.next(piece).ok() && piece.empty());
}

TEST("chunk summaries are compared with all kinds of values, and differences are found") {
  std::mt19937_64 random(seed());
  const std::vector<double> edges = {
      0.0, -0.0,     5e-324,   -1.7976931348623157e308, 1.7976931348623157e308, 0.1,
      NAN, INFINITY, -INFINITY};
  for (int round = 0; round < 2000; ++round) {
    std::vector<double> values(1 + random() % 50);
    for (double& value : values) {
      value = random() % 4 == 0 ? edges[random() % edges.size()]
                                : static_cast<double>(static_cast<std::int64_t>(random())) / 1e3;
    }
    std::vector<Timestamp> ts(values.size());
    for (std::size_t i = 0; i < ts.size(); ++i) ts[i] = static_cast<Timestamp>(i);
    ByteBuffer bytes;
    const ChunkSummary told = encodeChunk(ts, values, bytes);
    EXPECT(differenceFrom(told, values).empty());
    if (std::isnan(told.min) || std::isinf(told.min) || std::isinf(told.max)) continue;
    for (double ChunkSummary::*member : {&ChunkSummary::min, &ChunkSummary::max}) {
      ChunkSummary wrong = told;
      wrong.*member = told.*member == 0 ? 1 : told.*member / 2;
      EXPECT(!differenceFrom(wrong, values).empty());
    }
    ChunkSummary wrong = told;
    wrong.sum += std::max(std::fabs(told.min), std::fabs(told.max)) + 1;
    const bool isHuge = told.reach() * static_cast<double>(values.size()) > 1e308;
    EXPECT(isHuge || !differenceFrom(wrong, values).empty());
  }
}

TEST("an inspection lists segments, chunks and records") {
  Database database;
  fill(database);
  database.close();
  const std::string& directory = database.options.directory;
  const auto inspect = [&directory](InspectionPart part, std::optional<std::uint64_t> number = {}) {
    Inspection inspection(readOnlyFileSystem(), directory, {part, number});
    return linesOf(inspection);
  };
  const Lines manifest = inspect(InspectionPart::kManifest);
  REQUIRE(manifest.size() == 1);
  EXPECT(has(manifest, R"({"timestamp_unit":"ms","segments":2,"segment_samples":54,)"));
  EXPECT(has(manifest, R"("annotations":1,"deletions":1,)"));
  const Lines segments = inspect(InspectionPart::kSegments);
  EXPECT(segments.size() == 2);
  EXPECT(has(segments, R"({"segment":1,"level":"flushed",)"));
  EXPECT(has(segments, R"("samples":2,"start":-9223372036854775808,"end":9223372036854775807)"));
  EXPECT(has(segments, R"("hash":")" + hashIn(database.segmentPath(1)) + R"(")"));
  EXPECT(inspect(InspectionPart::kChunks).size() == 4);
  const Lines refs = inspect(InspectionPart::kRefs);
  REQUIRE(refs.size() == 1);
  EXPECT(has(refs, R"({"ref":"heads/main","commit":")"));
  EXPECT(has(refs, R"("reason":"flush","root":")"));
  EXPECT(has(refs, R"("series":2,"segments":2,"segment_samples":54})"));
  const Lines chunks = inspect(InspectionPart::kChunks, 1);
  EXPECT(chunks.size() == 2);
  EXPECT(
      has(chunks, R"("samples":50,"start":0,"end":49,"times":"step","values":"linear","first":0)"));
  EXPECT(has(chunks, R"("first":-0,"last":5e-324)"));
  const Lines log = inspect(InspectionPart::kWal);
  EXPECT(
      has(log, R"("record":"samples","new_series":0,"series":0,"samples":2,"start":9,"end":15)"));
  EXPECT(
      has(log, R"("record":"deletion","new_series":0,"series":1,"samples":0,"start":30,"end":31)"));
  EXPECT(has(log, R"("record":"closed"})"));
}
