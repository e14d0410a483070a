// Failures around the end of history: readable states are right, and removed states are reported as
// gone.
#include <filesystem>
#include <random>
#include <utility>

#include "history_fixture.h"

using namespace seriesdb;
using namespace seriesdb::test;

namespace {

using States = std::vector<std::pair<std::int64_t, std::string>>;

// Each state is unchanged, or reported as missing.
std::size_t expectStates(Database& database, const States& states) {
  std::size_t found = 0;
  for (const auto& [timeMs, content] : states) {
    const std::string told = contentAt(database, atTime(timeMs));
    if (told.starts_with("there is no commit")) continue;
    EXPECT(told == content);
    ++found;
  }
  return found;
}

States fillKept(KeptDatabase& kept) {
  States states;
  for (int i = 0; i < 2; ++i) {
    kept.time.advance(1000);
    fill(kept.database, 10 * i);
    states.emplace_back(kept.time.wallMs(), contentOf(kept.database));
  }
  return states;
}

}  // namespace

TEST("a failed file operation while history expires leaves each past state whole or absent") {
  const std::uint64_t first = 1 + seed() % kOddStride;
  for (const Operation operation : kOperations) {
    // A reader of a past state would fail and report it.
    if (operation == Operation::kOpenRead) continue;
    bool isReached = true;
    for (std::uint64_t nth = first; isReached && nth < 30; nth += kOddStride) {
      FaultyFileSystem fs(posixFileSystem());
      KeptDatabase kept(fs);
      Database& database = kept.database;
      database.options.metadataReadMode = kReadModes[nth % kReadModes.size()];
      REQUIRE(kept.open().ok());
      const States states = fillKept(kept);
      const std::string content = contentOf(database);
      const std::uint64_t before = fs.count(operation);
      fs.failAt(operation, nth);
      kept.time.advance(1000);
      static_cast<void>(database.compact().ok());
      EXPECT(expectStates(database, states) == states.size());
      // Long enough for the first of the two to expire.
      kept.time.advance(static_cast<std::int64_t>(kKeepMs) - 1500);
      static_cast<void>(database.compact().ok());
      static_cast<void>(collect(database, {false, nth % 2 == 0}).ok());
      isReached = fs.count(operation) >= before + nth;
      EXPECT(contentOf(database) == content);
      expectStates(database, states);
      database.close();
      fs.heal();
      if (nth % 3 == 0) fs.losePower();
      database.options.metadataReadMode = kReadModes[(nth / 3) % kReadModes.size()];
      REQUIRE(kept.open().ok());
      EXPECT(contentOf(database) == content);
      expectStates(database, states);
      REQUIRE(collect(database, {false, true}).ok());
      EXPECT(kept.commits() == 0 && contentOf(database) == content);
      EXPECT(database.segmentPaths().size() == static_cast<std::size_t>(database.stat("segments")));
      expectSameInAllModes(database, content);
    }
  }
}

namespace {

// Random work, and after each edit the answers that a client would have got then.
class Model {
 public:
  explicit Model(std::uint64_t seed) : random_(seed) { REQUIRE(kept_.open().ok()); }

  void round() {
    kept_.time.advance(1 + static_cast<std::int64_t>(random_() % 4000));
    Database& database = kept_.database;
    const auto at = static_cast<Timestamp>(random_() % 50);
    for (int i = 0; i < 8; ++i) {
      const std::string name = "m" + std::to_string(random_() % 6);
      REQUIRE(database.ingest(line(name, at + i, static_cast<double>(random_() % 100))).ok());
    }
    if (random_() % 3 == 0) {
      const auto pinned = database.engine().index();
      const SeriesIndex& index = *pinned;
      const auto ref = static_cast<SeriesRef>(random_() % index.createdCount());
      REQUIRE(database.remove({index.idOf(ref)}, {at, at + 20}).ok());
    }
    REQUIRE(database.flush().ok());
    if (random_() % 4 == 0) REQUIRE(database.compact().ok());
    // If several edits share this moment, the last one is its state.
    states_.emplace_back(kept_.time.wallMs(), contentOf(database));
    if (random_() % 5 == 0) {
      kept_.database.options.metadataReadMode = kReadModes[random_() % kReadModes.size()];
      REQUIRE(kept_.open().ok());
    }
    if (random_() % 16 == 0) REQUIRE(collect(database, {false, true}).ok());
    check();
  }

 private:
  void check() {
    kept_.look();
    states_.back().second = contentOf(kept_.database);
    const auto& [timeMs, content] = states_[random_() % states_.size()];
    const std::string told = contentAt(kept_.database, atTime(timeMs));
    const bool isNone = told.starts_with("there is no commit");
    EXPECT(isNone || told == content);
    // History expires with its time, earlier only on request.
    EXPECT(!isNone || states_.size() > 1);
  }

  std::mt19937_64 random_;
  KeptDatabase kept_;
  std::vector<std::pair<std::int64_t, std::string>> states_;
};

}  // namespace

TEST("a past state answers as it did when it was current") {
  for (std::uint64_t i = 0; i < 4; ++i) {
    Model model(seed() + i);
    for (int round = 0; round < 40; ++round) model.round();
  }
}

TEST("history stays within its byte limit") {
  KeptDatabase kept;
  Database& database = kept.database;
  database.options.historyBytesMin = 40'000;
  REQUIRE(kept.open().ok());
  std::mt19937_64 random(seed());
  for (int i = 0; i < 40; ++i) {
    kept.time.advance(10);
    std::string body;
    for (int j = 0; j < 200; ++j) {
      const double value = static_cast<double>(random()) / 3;
      body += line("m" + std::to_string(i % 2), i * 1000 + j, value);
    }
    REQUIRE(database.ingest(body).ok() && database.flush().ok());
    if (i % 8 == 7) REQUIRE(database.compact().ok());
    EXPECT(database.stat("history_bytes") <= 40'000);
    EXPECT(database.stat("history_bytes") > 0 || i < 2 || i % 8 == 7);
  }
  EXPECT(database.stat("history_commits") < 45);
}

TEST("when a flush has no space, history is dropped at once, and returns when there is space") {
  FaultyFileSystem fs(posixFileSystem());
  KeptDatabase kept(fs);
  Database& database = kept.database;
  database.options.reserveBytes = 1 << 20;
  REQUIRE(kept.open().ok());
  fill(database, 0);
  const std::vector<std::string> merged = database.segmentPaths();
  REQUIRE(database.compact().ok());
  EXPECT(kept.commits() > 0 && std::filesystem::exists(merged.front()));
  fs.setSpace(1 << 19);
  kept.look();
  EXPECT(kept.commits() == 0 && !std::filesystem::exists(merged.front()));
  fs.heal();
  REQUIRE(database.ingest(line("m", 1, 1)).ok() && database.flush().ok());
  kept.look();
  EXPECT(kept.commits() > 0);
}

TEST("after a final failure gc removes no file that a restart needs") {
  for (const MetadataReadMode mode : kReadModes) {
    for (const bool isMerge : {false, true}) {
      for (std::uint64_t nth = 1; nth < 14; nth += kStride) {
        FaultyFileSystem fs(posixFileSystem());
        KeptDatabase kept(fs);
        Database& database = kept.database;
        database.options.metadataReadMode = mode;
        REQUIRE(kept.open().ok());
        fill(database, 0);
        if (!isMerge) REQUIRE(database.ingest(line("mine", 7, 7)).ok());
        const std::string content = contentOf(database);
        fs.failAt(Operation::kSync, nth);
        // Either call may fail.
        static_cast<void>(isMerge ? database.compact().ok() : database.flush().ok());
        static_cast<void>(collect(database, {false, true}).ok());
        EXPECT(contentOf(database) == content);
        database.close();
        fs.heal();
        REQUIRE(kept.open().ok());
        EXPECT(contentOf(database) == content);
      }
    }
  }
}

TEST("a snapshot deleted during a read frees its files when the read ends") {
  KeptDatabase kept;
  Database& database = kept.database;
  database.options.historyKeepMs = 0;
  REQUIRE(kept.open().ok());
  fill(database, 0);
  const auto named = [&](bool isNew) {
    std::promise<Status> answer;
    const auto done = [&answer](const Status& status) { answer.set_value(status); };
    if (isNew) database.engine().createSnapshot("a", done);
    if (!isNew) database.engine().deleteSnapshot("a", done);
    return answer.get_future().get().ok();
  };
  REQUIRE(named(true) && database.compact().ok());
  PastState state;
  state.snapshot = "a";
  Past past;
  REQUIRE(past.openBeside(database, state).ok());
  REQUIRE(named(false));
  EXPECT(database.segmentPaths().size() > static_cast<std::size_t>(database.stat("segments")));
  past.close();
  kept.look();
  EXPECT(database.segmentPaths().size() == static_cast<std::size_t>(database.stat("segments")));
}
