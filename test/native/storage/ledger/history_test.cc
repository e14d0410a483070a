// Recent heads are readable as they were, and are removed when they expire.
#include "storage/ledger/history.h"

#include <algorithm>
#include <filesystem>
#include <random>

#include "history_fixture.h"

using namespace seriesdb;
using namespace seriesdb::test;

namespace {

bool areThere(const std::vector<std::string>& paths) {
  return std::ranges::all_of(paths,
                             [](const std::string& path) { return std::filesystem::exists(path); });
}
bool isAnyThere(const std::vector<std::string>& paths) {
  return std::ranges::any_of(paths,
                             [](const std::string& path) { return std::filesystem::exists(path); });
}

// Deletes all samples.
void removeAll(Database& database) {
  const auto pinned = database.engine().index();
  const SeriesIndex& index = *pinned;
  std::vector<SeriesId> ids;
  for (SeriesRef ref = 0; ref < index.createdCount(); ++ref) ids.push_back(index.idOf(ref));
  REQUIRE(database.remove(std::move(ids), kAllTime).ok());
  REQUIRE(database.ingest(line("last", 1, 1)).ok());
  REQUIRE(database.flush().ok());
}

}  // namespace

TEST("a past time still shows deleted and merged samples, in every mode, until history ends") {
  for (const MetadataReadMode mode : kReadModes) {
    KeptDatabase kept;
    Database& database = kept.database;
    database.options.metadataReadMode = mode;
    REQUIRE(kept.open().ok());
    fill(database, 0);
    const std::string content = contentOf(database);
    const std::vector<std::string> files = database.segmentPaths();
    const std::int64_t before = kept.time.wallMs();
    kept.time.advance(1000);
    removeAll(database);
    REQUIRE(database.compact().ok());
    EXPECT(areThere(files));
    const std::string now = contentOf(database);
    EXPECT(contentAt(database, atTime(before)) == content);
    EXPECT(contentAt(database, atTime(before + 999)) == content);
    EXPECT(contentAt(database, atTime(kept.time.wallMs())) == now);
    EXPECT(database.stat("history_bytes") > 0);
    for (const MetadataReadMode next : kReadModes) {
      database.options.metadataReadMode = next;
      REQUIRE(kept.open().ok());
      EXPECT(areThere(files) && contentOf(database) == now);
      EXPECT(contentAt(database, atTime(before)) == content);
      expectSettled(database);
    }
    database.close();
    Past past;
    REQUIRE(past.open(database, atTime(before)).ok());
    EXPECT(past.content() == content && past.isWell());
    past.close();
    REQUIRE(kept.open().ok());
    kept.passAll();
    EXPECT(!isAnyThere(files) && contentOf(database) == now);
    EXPECT(kept.commits() == 0 && database.stat("history_bytes") == 0);
    EXPECT(past.openBeside(database, atTime(before)).code() == StatusCode::kStateNotFound);
  }
}

TEST("each commit is found by number, and an error names the first available one") {
  KeptDatabase kept;
  Database& database = kept.database;
  REQUIRE(kept.open().ok());
  std::vector<std::string> contents;
  std::vector<std::uint64_t> numbers;
  const auto number = [&database] {
    return readRefs(posixFileSystem(), database.options.directory).value().states[0].commit.edit;
  };
  const std::uint64_t first = number();
  for (int i = 0; i < 5; ++i) {
    kept.time.advance(1000);
    REQUIRE(database.ingest(line("m", i, i)).ok() && database.flush().ok());
    contents.push_back(contentOf(database));
    EXPECT(number() > (i == 0 ? first : numbers.back()));
    numbers.push_back(number());
  }
  for (std::size_t i = 0; i < contents.size(); ++i) {
    EXPECT(contentAt(database, atEdit(numbers[i])) == contents[i]);
  }
  const std::string missing = contentAt(database, atEdit(numbers.back() + 1));
  EXPECT(missing == "there is no commit @" + std::to_string(numbers.back() + 1) +
                        ": history begins with commit @" + std::to_string(first) +
                        " of 2023-11-14T22:13:20.000Z");
  EXPECT(contentAt(database, atTime(1'699'999'999'999)) ==
         "there is no commit of 2023-11-14T22:13:19.999Z or earlier: history begins with commit @" +
             std::to_string(first) + " of 2023-11-14T22:13:20.000Z");
  // The first one was replaced long enough ago, the second one was not.
  kept.time.advance(static_cast<std::int64_t>(kKeepMs) - 4000);
  kept.look();
  EXPECT(contentAt(database, atEdit(first)).starts_with("there is no commit @"));
  EXPECT(contentAt(database, atEdit(numbers[0])) == contents[0]);
  // A snapshot's name takes precedence over the time that it may also mean.
  PastState either = atTime(kept.time.wallMs());
  either.snapshot = "20231114";
  EXPECT(contentAt(database, either) == contents.back());
  either.timeMs = 0;
  EXPECT(contentAt(database, either).starts_with("there is no snapshot 20231114, and there is no"));
}

TEST("an open past state keeps its files after history ends, and frees them on close") {
  KeptDatabase kept;
  Database& database = kept.database;
  REQUIRE(kept.open().ok());
  fill(database, 0);
  const std::string content = contentOf(database);
  const std::vector<std::string> files = database.segmentPaths();
  const std::int64_t before = kept.time.wallMs();
  kept.time.advance(1);
  removeAll(database);
  REQUIRE(database.compact().ok());
  Past past;
  REQUIRE(past.openBeside(database, atTime(before)).ok());
  kept.passAll();
  EXPECT(kept.commits() == 0 && areThere(files));
  EXPECT(past.content() == content && past.isWell());
  past.close();
  kept.look();
  EXPECT(!isAnyThere(files));
}

TEST("with commits off, or a history time of 0, there is no history") {
  for (const int kind : {0, 1}) {
    KeptDatabase kept;
    Database& database = kept.database;
    if (kind == 0) {
      database.options.casMode = CasMode::kOff;
      database.options.metadataReadMode = MetadataReadMode::kLegacy;
    } else {
      database.options.historyKeepMs = 0;
    }
    REQUIRE(kept.open().ok());
    fill(database, 0);
    const std::vector<std::string> files = database.segmentPaths();
    REQUIRE(database.compact().ok());
    EXPECT(kept.commits() == 0 && !isAnyThere(files));
  }
  KeptDatabase kept;
  Database& database = kept.database;
  REQUIRE(kept.open().ok());
  fill(database, 0);
  const std::vector<std::string> files = database.segmentPaths();
  REQUIRE(database.compact().ok());
  EXPECT(kept.commits() > 0 && areThere(files));
  EngineLimits limits = database.options;
  limits.historyKeepMs = 0;
  database.engine().configure(limits);
  kept.look();
  EXPECT(kept.commits() == 0 && !isAnyThere(files));
}

TEST("turning commits off drops history, and turning them on restores none of it") {
  KeptDatabase kept;
  Database& database = kept.database;
  REQUIRE(kept.open().ok());
  fill(database, 0);
  const std::vector<std::string> files = database.segmentPaths();
  REQUIRE(database.compact().ok());
  database.options.casMode = CasMode::kOff;
  database.options.metadataReadMode = MetadataReadMode::kLegacy;
  REQUIRE(kept.open().ok());
  EXPECT(!isAnyThere(files) && kept.commits() == 0);
  database.options.casMode = CasMode::kDualWrite;
  REQUIRE(kept.open().ok());
  fill(database, 10);
  EXPECT(kept.commits() > 0 && contentOf(database).find("m10") != std::string::npos);
}

TEST("a file kept by a snapshot and by history is removed when the later of them ends") {
  for (const bool isSnapshotFirst : {false, true}) {
    KeptDatabase kept;
    Database& database = kept.database;
    REQUIRE(kept.open().ok());
    fill(database, 0);
    REQUIRE(kept.database.flush().ok());
    const std::vector<std::string> files = database.segmentPaths();
    std::promise<Status> made;
    database.engine().createSnapshot("a", [&made](Status status) { made.set_value(status); });
    REQUIRE(made.get_future().get().ok());
    REQUIRE(database.compact().ok());
    const auto forget = [&database] {
      std::promise<Status> gone;
      database.engine().deleteSnapshot("a", [&gone](Status status) { gone.set_value(status); });
      REQUIRE(gone.get_future().get().ok());
    };
    isSnapshotFirst ? forget() : kept.passAll();
    EXPECT(areThere(files));
    isSnapshotFirst ? kept.passAll() : forget();
    EXPECT(!isAnyThere(files));
  }
}

TEST("a rewritten REFS has exactly the commits of the history") {
  constexpr std::size_t kCommits = 10;
  KeptDatabase kept;
  Database& database = kept.database;
  database.options.historyKeepMs = kCommits * 1000;
  REQUIRE(kept.open().ok());
  std::uintmax_t size = 0;
  bool isRewritten = false;
  std::vector<std::pair<std::int64_t, std::string>> states;
  for (int i = 0; i < 400; ++i) {
    kept.time.advance(1000);
    REQUIRE(database.ingest(line("m" + std::to_string(i % 50), i, i)).ok());
    REQUIRE(database.flush().ok());
    if (i >= 390) states.emplace_back(kept.time.wallMs(), contentOf(database));
    const auto now = std::filesystem::file_size(database.path("REFS"));
    isRewritten = isRewritten || now < size;
    size = now;
  }
  EXPECT(isRewritten && kept.commits() == kCommits);
  for (std::size_t i = 0; i < states.size(); i += 3) {
    EXPECT(contentAt(database, atTime(states[i].first)) == states[i].second);
  }
  REQUIRE(kept.open().ok());
  EXPECT(kept.commits() == kCommits);
  EXPECT(contentAt(database, atTime(states.front().first)) == states.front().second);
}
