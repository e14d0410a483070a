// Unneeded files are removed on request, and nothing else ever.
#include <algorithm>
#include <filesystem>

#include "common/types/file_names.h"
#include "storage/ledger/history_fixture.h"

using namespace seriesdb;
using namespace seriesdb::test;

namespace {

// Adds a complete segment that nothing names, and leftovers of an unfinished writer.
std::vector<std::string> strew(Database& database) {
  Database other;
  CHECK(other.open().ok());
  CHECK(other.ingest(lines("other", 9)).ok() && other.flush().ok());
  const std::string from = other.segmentPaths().front();
  const std::string hash = hashIn(from);
  const std::string folder = database.path("objects/" + hash.substr(0, 2));
  std::filesystem::create_directories(folder);
  std::filesystem::create_directories(database.path("objects/tmp"));
  const std::string unfinished = file_names::unfinishedObjectFile(7);
  std::vector<std::string> strewn{folder + "/" + hash.substr(2),
                                  database.path("objects/tmp/" + unfinished)};
  for (const std::string& path : strewn) std::filesystem::copy_file(from, path);
  return strewn;
}

std::uint64_t sizeOf(const std::vector<std::string>& paths) {
  std::uint64_t size = 0;
  for (const std::string& path : paths) size += std::filesystem::file_size(path);
  return size;
}

std::size_t segmentCount(const Database& database) {
  return static_cast<std::size_t>(database.stat("segments"));
}

}  // namespace

TEST("gc removes unreferenced files, and history only on request; a dry run only counts them") {
  KeptDatabase kept;
  Database& database = kept.database;
  REQUIRE(kept.open().ok());
  fill(database, 0);
  const std::int64_t before = kept.time.wallMs();
  const std::string past = contentOf(database);
  kept.time.advance(1);
  REQUIRE(database.compact().ok());
  const std::string content = contentOf(database);
  const auto merged = database.segmentPaths().size() - segmentCount(database);
  const auto mergedBytes =
      sizeOf(database.segmentPaths()) - static_cast<std::uint64_t>(database.stat("segment_bytes"));
  REQUIRE(merged > 2);
  const std::vector<std::string> strewn = strew(database);
  const std::uint64_t strewnBytes = sizeOf(strewn);

  const auto planned = collect(database, {true, false});
  REQUIRE(planned.ok());
  EXPECT(planned.value().files == 2 && planned.value().bytes == strewnBytes);
  EXPECT(planned.value().commits == 0 && planned.value().kept == 0);
  const auto plannedAll = collect(database, {true, true});
  REQUIRE(plannedAll.ok());
  EXPECT(plannedAll.value().files == 2 + merged);
  EXPECT(plannedAll.value().bytes == strewnBytes + mergedBytes);
  EXPECT(plannedAll.value().commits == kept.commits() && kept.commits() > 0);
  for (const std::string& path : strewn) EXPECT(std::filesystem::exists(path));

  const auto collected = collect(database);
  REQUIRE(collected.ok());
  EXPECT(collected.value().files == 2 && collected.value().bytes == strewnBytes);
  for (const std::string& path : strewn) EXPECT(!std::filesystem::exists(path));
  EXPECT(contentAt(database, atTime(before)) == past);

  const auto refs = std::filesystem::file_size(database.path("REFS"));
  const auto all = collect(database, {false, true});
  REQUIRE(all.ok());
  EXPECT(all.value().files == merged && all.value().bytes == mergedBytes);
  EXPECT(all.value().commits > 0 && kept.commits() == 0);
  EXPECT(all.value().refsBytes > 0);
  EXPECT(std::filesystem::file_size(database.path("REFS")) == refs - all.value().refsBytes);
  EXPECT(database.segmentPaths().size() == segmentCount(database));
  EXPECT(contentOf(database) == content);
  const auto none = collect(database, {false, true});
  EXPECT(none.ok() && none.value().files == 0 && none.value().commits == 0);
  // It stays removed after a restart.
  expectSameInAllModes(database, content);
  EXPECT(kept.commits() == 0);
  expectSettled(database);
}

TEST("files of readers, past states and backups stay, and are removed after them") {
  KeptDatabase kept;
  Database& database = kept.database;
  REQUIRE(kept.open().ok());
  fill(database, 0);
  const std::string content = contentOf(database);
  const std::int64_t before = kept.time.wallMs();
  const std::vector<std::string> merged = database.segmentPaths();
  const auto isEachThere = [&merged] {
    return std::ranges::all_of(merged,
                               [](const std::string& one) { return std::filesystem::exists(one); });
  };
  kept.time.advance(1);
  {
    const auto view = database.engine().pinFiles();
    REQUIRE(database.compact().ok());
    const auto collected = collect(database, {false, true});
    REQUIRE(collected.ok());
    EXPECT(collected.value().kept == merged.size());
    EXPECT(isEachThere());
  }
  EXPECT(collect(database, {false, true}).ok() && !isEachThere());

  REQUIRE(kept.open().ok());
  fill(database, 10);
  const std::string second = contentOf(database);
  const std::int64_t then = kept.time.wallMs();
  const std::vector<std::string> paths = database.segmentPaths();
  kept.time.advance(1);
  Past past;
  REQUIRE(past.openBeside(database, atTime(then)).ok());
  REQUIRE(database.compact().ok());
  EXPECT(collect(database, {false, true}).ok());
  EXPECT(past.content() == second && past.isWell());
  past.close();
  EXPECT(collect(database).ok());
  EXPECT(database.segmentPaths().size() == segmentCount(database));
  EXPECT(content != second && before < then);

  const std::vector<std::string> strewn = strew(database);
  {
    const auto files = database.engine().holdFiles();
    REQUIRE(files.ok());
    const auto collected = collect(database);
    EXPECT(collected.ok() && collected.value().kept == 2 && collected.value().files == 0);
  }
  EXPECT(collect(database).value().files == 2);
}

TEST("a read-only database counts removable files and removes none") {
  KeptDatabase kept;
  REQUIRE(kept.open().ok());
  fill(kept.database, 0);
  REQUIRE(kept.database.compact().ok());
  const std::string content = contentOf(kept.database);
  kept.database.close();
  const std::vector<std::string> strewn = strew(kept.database);
  Database read(readOnlyFileSystem());
  read.options = kept.database.options;
  read.options.isReadOnly = true;
  REQUIRE(read.open().ok());
  const auto planned = collect(read, {true, false});
  REQUIRE(planned.ok());
  EXPECT(planned.value().files == 2);
  EXPECT(collect(read, {true, true}).value().files > 2);
  EXPECT(collect(read).status().code() == StatusCode::kStorageUnavailable);
  for (const std::string& path : strewn) EXPECT(std::filesystem::exists(path));
}
