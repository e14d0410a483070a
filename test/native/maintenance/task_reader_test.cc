// Compactions and migrations that are followed while they run, and abandoned.
#include "maintenance/task_reader.h"

#include <thread>

#include "storage/engine/task_fixture.h"

using namespace seriesdb;
using namespace seriesdb::test;

namespace {

constexpr Timestamp kDayMs = 86'400'000;

// From a counted file on, blocks the thread that creates a segment, until open() is called.
class HoldingFileSystem final : public FaultyFileSystem {
 public:
  HoldingFileSystem() : FaultyFileSystem(posixFileSystem()) {}

  // Blocks the nth file from now on. Call it while no thread creates files.
  void holdAt(std::uint64_t nth) {
    left_ = nth;
    reached_ = {};
    opened_ = {};
  }
  void awaitHeld() { reached_.get_future().wait(); }
  void open() { opened_.set_value(); }

  Result<std::unique_ptr<WritableFile>> create(const std::string& path) override {
    if (path.find("/objects/") != std::string::npos && left_ > 0 && --left_ == 0) {
      reached_.set_value();
      opened_.get_future().wait();
    }
    return FaultyFileSystem::create(path);
  }

 private:
  std::atomic<std::uint64_t> left_{0};
  std::promise<void> reached_;
  std::promise<void> opened_;
};

// Two segments of one flush each. Both have samples of two slots, each of one series.
void fillTwoSlots(Database& database) {
  for (int flush = 0; flush < 2; ++flush) {
    std::string body;
    for (int i = 0; i < 100; ++i) {
      body += line("a", 2 * i + flush, i);
      body += line("b", 300 * kDayMs + 2 * i + flush, i);
    }
    REQUIRE(database.ingest(body).ok());
    REQUIRE(database.flush().ok());
  }
}

// The next line that does not report waiting.
std::string nextLine(JsonReader& reader) {
  std::string piece;
  do {
    CHECK(reader.next(piece).ok());
    std::this_thread::yield();
  } while (piece.find("\"waiting\"") != std::string::npos);
  return piece;
}

std::string lastLine(JsonReader& reader) {
  for (;;) {
    std::string line = nextLine(reader);
    if (line.empty() || line.starts_with(R"({"kind":"end")")) return line;
  }
}

std::uint64_t numberOf(const std::string& line, const std::string& name) {
  const std::size_t at = line.find("\"" + name + "\":");
  CHECK(at != std::string::npos);
  return std::strtoull(line.c_str() + at + name.size() + 3, nullptr, 10);
}

// There is nothing to migrate here: once this is answered, no other task is running.
void awaitIdle(Database& database) {
  std::promise<Status> answer;
  database.engine().migrate([&answer](const auto& done) { answer.set_value(done.status()); });
  REQUIRE(answer.get_future().get().ok());
}

}  // namespace

TEST("a compaction reports its plan, its progress within a merge, and its result") {
  HoldingFileSystem fs;
  Database database(fs);
  REQUIRE(database.open().ok());
  fillTwoSlots(database);
  const auto reader = compaction(database);
  EXPECT(reader->isShort());
  // The first merge splits the two slots: the second file is created after the first series is
  // read.
  fs.holdAt(2);
  const std::string plan = nextLine(*reader);
  fs.awaitHeld();
  EXPECT(plan.starts_with(R"({"kind":"plan","segments":2,"bytes":)"));
  const std::string progress = nextLine(*reader);
  EXPECT(progress.starts_with(R"({"kind":"progress","segments":2,"bytes":)"));
  const std::uint64_t bytes = numberOf(progress, "bytes");
  EXPECT(bytes > 0 && bytes < numberOf(plan, "bytes"));
  EXPECT(bytes + numberOf(progress, "bytes_left") == numberOf(plan, "bytes"));
  fs.open();
  const std::string end = lastLine(*reader);
  EXPECT(end.starts_with(R"({"kind":"end","status":"compacted","segments_before":2,)"));
  EXPECT(numberOf(end, "segments_after") == 2);
  EXPECT(numberOf(end, "bytes_before") > 0 && numberOf(end, "bytes_after") > 0);
  EXPECT(nextLine(*reader).empty());
}

TEST("a second compaction waits for the first and then makes its own plan") {
  HoldingFileSystem fs;
  Database database(fs);
  REQUIRE(database.open().ok());
  fillTwoSlots(database);
  fs.holdAt(1);
  const auto first = compaction(database);
  static_cast<void>(nextLine(*first));
  fs.awaitHeld();
  const auto second = compaction(database);
  std::string piece;
  for (int look = 0; look < 3; ++look) {
    REQUIRE(second->next(piece).ok());
    EXPECT(piece == "{\"kind\":\"waiting\"}\n");
  }
  fs.open();
  EXPECT(nextLine(*second) == "{\"kind\":\"plan\",\"segments\":2,\"bytes\":0}\n");
  EXPECT(numberOf(lastLine(*second), "segments_before") == 2);
  EXPECT(numberOf(lastLine(*first), "segments_before") == 2);
}

TEST("a compaction without readers ends, and keeps what it has merged") {
  HoldingFileSystem fs;
  Database database(fs);
  REQUIRE(database.open().ok());
  fillTwoSlots(database);
  const std::string content = contentOf(database);
  auto reader = compaction(database);
  // The second merge closes a slot. It is blocked after reading the slot, so the third merge never
  // starts.
  fs.holdAt(3);
  static_cast<void>(nextLine(*reader));
  fs.awaitHeld();
  reader.reset();
  fs.open();
  awaitIdle(database);
  EXPECT(database.stat("compactions_total") == 2);
  EXPECT(database.stat("compaction_failed_total") == 0);
  EXPECT(database.segmentPaths().size() == 2);
  EXPECT(contentOf(database) == content);
  const auto again = compaction(database);
  EXPECT(numberOf(lastLine(*again), "segments_after") == 2);
  EXPECT(database.stat("compactions_total") == 3);
  EXPECT(contentOf(database) == content);
}

TEST("a compaction of two requests continues while one of them reads it") {
  HoldingFileSystem fs;
  Database database(fs);
  REQUIRE(database.open().ok());
  fillTwoSlots(database);
  // Both requests arrive while the first task is blocked, and so are answered together.
  fs.holdAt(1);
  auto first = compaction(database);
  static_cast<void>(nextLine(*first));
  fs.awaitHeld();
  auto given = compaction(database);
  const auto kept = compaction(database);
  std::string piece;
  REQUIRE(given->next(piece).ok() && kept->next(piece).ok());
  first.reset();
  given.reset();
  fs.open();
  EXPECT(numberOf(lastLine(*kept), "segments_after") == 2);
  EXPECT(database.stat("compactions_total") == 3);
}

TEST("a task ends with an error when its database is closed, and is refused on a read-only one") {
  Database database;
  REQUIRE(database.open().ok());
  fillTwoSlots(database);
  const auto reader = migration(database);
  REQUIRE(database.engine().close().ok());
  std::string piece;
  EXPECT(reader->next(piece).code() == StatusCode::kClosed);
  EXPECT(reader->next(piece).ok() && piece.empty());
  database.options.isReadOnly = true;
  REQUIRE(database.open().ok());
  const auto refused = compaction(database);
  EXPECT(refused->next(piece).code() == StatusCode::kStorageUnavailable);
}
