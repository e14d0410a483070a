// Inspection of an open database: it reports the same files as a copy of its directory, and one
// moment under writes.
#include "maintenance/inspection.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <filesystem>
#include <thread>

#include "common/file/read_only_file_system.h"
#include "lines_fixture.h"
#include "storage/engine/engine_fixture.h"

using namespace seriesdb;
using namespace seriesdb::test;

namespace {

constexpr std::array kParts = {InspectionPart::kManifest, InspectionPart::kSegments,
                               InspectionPart::kChunks,   InspectionPart::kWal,
                               InspectionPart::kRefs,     InspectionPart::kHistory};

Lines live(Database& database, InspectionRequest request) {
  Inspection inspection(readOnlyFileSystem(), database.engine(), request);
  return linesOf(inspection);
}

// Inspects the directory as it is on disk now.
Lines closed(const Database& database, InspectionRequest request) {
  const std::string copy = temporaryDirectory() + "/copy";
  std::filesystem::copy(database.options.directory, copy, std::filesystem::copy_options::recursive);
  std::filesystem::remove(copy + "/LOCK");
  Inspection inspection(readOnlyFileSystem(), copy, request);
  return linesOf(inspection);
}

bool has(const Lines& lines, std::string_view part) {
  return std::ranges::any_of(
      lines, [part](const auto& line) { return line.find(part) != std::string::npos; });
}

std::uint64_t numberIn(std::string_view line, std::string_view name) {
  const std::string member = "\"" + std::string(name) + "\":";
  const std::size_t at = line.find(member);
  CHECK(at != std::string_view::npos);
  return std::strtoull(line.data() + at + member.size(), nullptr, 10);
}

void fill(Database& database) {
  REQUIRE(database.open().ok());
  EXPECT(database.ingest(lines("a", 50) + line("b", 7, -0.0)).ok());
  REQUIRE(database.flush().ok());
  std::promise<Status> tagged;
  database.engine().createSnapshot("first", [&](Status done) { tagged.set_value(done); });
  EXPECT(tagged.get_future().get().ok());
  EXPECT(database.ingest(lines("c", 10000)).ok());
  REQUIRE(database.flush().ok());
  EXPECT(database.ingest(line("a", 60, 1)).ok());
  EXPECT(database.remove({database.index()->idOf(0)}, {10, 20}).ok());
}

}  // namespace

TEST("an inspection of an open database equals that of its directory") {
  Database database;
  database.options.historyKeepMs = 3'600'000;
  fill(database);
  for (const InspectionPart part : kParts) {
    const Lines told = live(database, {part, {}});
    EXPECT(!told.empty() && !has(told, "error") && !has(told, "failed"));
    EXPECT(told == closed(database, {part, {}}));
  }
  for (const std::uint64_t number : {0, 1, 2, 3, 9}) {
    for (const InspectionPart part :
         {InspectionPart::kSegments, InspectionPart::kChunks, InspectionPart::kWal}) {
      EXPECT(live(database, {part, number}) == closed(database, {part, number}));
    }
  }
  REQUIRE(database.compact().ok());
  for (const InspectionPart part : kParts) {
    EXPECT(live(database, {part, {}}) == closed(database, {part, {}}));
  }
}

TEST("an inspection of an open database lists exactly the synced WAL records") {
  for (const FsyncPolicy policy :
       {FsyncPolicy::kAlways, FsyncPolicy::kNone, FsyncPolicy::kInterval}) {
    Database database;
    database.options.fsync = policy;
    database.options.fsyncIntervalMs = 3'600'000;
    REQUIRE(database.open().ok());
    EXPECT(database.ingest(line("a", 1, 1)).ok());
    EXPECT(database.ingest(line("a", 2, 2)).ok());
    const Lines told = live(database, {InspectionPart::kWal, {}});
    EXPECT(has(told, R"("record":"begin")"));
    EXPECT(!has(told, "torn"));
    const auto isOf = [](const std::string& one) { return has({one}, R"("record":"samples")"); };
    const auto samples = std::ranges::count_if(told, isOf);
    // The first batch of an interval is synced.
    EXPECT(policy == FsyncPolicy::kInterval ? samples <= 1 : samples == 2);
    // A record that is partly written.
    std::filesystem::path file;
    for (const auto& entry :
         std::filesystem::directory_iterator(database.options.directory + "/wal")) {
      file = std::max(file, entry.path());
    }
    std::filesystem::resize_file(file, std::filesystem::file_size(file) + 5);
    EXPECT(live(database, {InspectionPart::kWal, {}}) == told);
    std::filesystem::resize_file(file, std::filesystem::file_size(file) - 5);
  }
}

TEST("files stay readable until an inspection that began before has listed them") {
  Database database;
  fill(database);
  std::vector<std::unique_ptr<Inspection>> begun;
  std::vector<Lines> expected;
  for (const InspectionPart part : {InspectionPart::kChunks, InspectionPart::kWal}) {
    EXPECT(database.ingest(lines("d", 3000)).ok());
    for (int i = 0; i < 3000; ++i) {
      if (part == InspectionPart::kWal) EXPECT(database.ingest(line("e", i, i)).ok());
    }
    if (part == InspectionPart::kChunks) EXPECT(database.flush().ok());
    expected.push_back(live(database, {part, {}}));
    begun.push_back(std::make_unique<Inspection>(readOnlyFileSystem(), database.engine(),
                                                 InspectionRequest{part, {}}));
    std::string piece;
    REQUIRE(begun.back()->next(piece).ok());
    REQUIRE(database.flush().ok());
    REQUIRE(database.compact().ok());
    Lines rest = linesOf(*begun.back());
    const auto first = static_cast<std::size_t>(std::ranges::count(piece, '\n'));
    REQUIRE(first + rest.size() == expected.back().size());
    expected.back().erase(expected.back().begin(),
                          expected.back().begin() + static_cast<std::ptrdiff_t>(first));
    EXPECT(rest == expected.back());
    EXPECT(part != InspectionPart::kWal || !rest.empty());
  }
}

TEST("a database is inspected during ingest, flushes and compactions") {
  Database database;
  database.options.isCompacting = true;
  database.options.historyKeepMs = 50;
  fill(database);
  std::atomic<bool> isOver{false};
  std::thread writer([&] {
    for (int i = 0; i < 400; ++i) {
      EXPECT(database.ingest(line("w", i, i) + line("x", i, -i)).ok());
      if (i % 10 == 9) EXPECT(database.flush().ok());
      if (i % 40 == 39) static_cast<void>(database.compact().ok());
    }
    isOver = true;
  });
  int rounds = 0;
  while (!isOver || rounds < 2) {
    ++rounds;
    for (const InspectionPart part : kParts) {
      const Lines told = live(database, {part, {}});
      EXPECT(!told.empty() && !has(told, "error") && !has(told, "failed"));
      EXPECT(!has(told, R"("record":"torn")"));
      if (part != InspectionPart::kWal) continue;
      for (std::size_t i = 1; i < told.size(); ++i) {
        EXPECT(numberIn(told[i], "sequence") == numberIn(told[i - 1], "sequence") + 1);
      }
    }
  }
  writer.join();
}

TEST("an inspection reports a segment that cannot be opened and lists the others") {
  Database database;
  fill(database);
  const std::string path = database.segmentPath(1);
  std::filesystem::resize_file(path, 10);
  for (const InspectionPart part : {InspectionPart::kSegments, InspectionPart::kChunks}) {
    const Lines told = live(database, {part, {}});
    EXPECT(has({told.front()}, R"("error":")") && has({told.front()}, R"({"segment":1,)"));
    EXPECT(has({told.back()}, R"({"segment":2,)") && !has({told.back()}, "error"));
  }
}
