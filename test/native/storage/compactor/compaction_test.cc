// Compaction through the engine: no query shows that it took place.
#include <algorithm>
#include <array>
#include <atomic>
#include <random>
#include <set>
#include <thread>

#include "storage/engine/engine_fixture.h"

using namespace seriesdb;
using namespace seriesdb::test;

namespace {

constexpr Timestamp kHourMs = 3'600'000;
constexpr Timestamp kDayMs = 24 * kHourMs;
constexpr std::size_t kSeries = 6;

// The highest number of a segment with a file.
std::uint64_t lastNumber(const Database& database) {
  std::uint64_t last = 0;
  for (const std::string& path : database.segmentPaths()) {
    last = std::max(last, loadLe<std::uint64_t>(&contentOf(path)[12]));
  }
  return last;
}

std::string nameOf(std::size_t number) { return "m" + std::to_string(number); }

// A database and its expected content.
class Model {
 public:
  Model(std::uint64_t seed, FileSystem& fs) : database(fs), random_(seed) {
    database.options.compaction.factor = 2 + static_cast<std::uint32_t>(random_() % 3);
    hasSmallCap = random_() % 2 == 0;
    if (hasSmallCap) database.options.compaction.segmentBytesMax = 4096;
    database.options.isCompacting = random_() % 2 == 0;
  }

  std::string randomLines() {
    std::string body;
    // Live samples around an advancing moment, some of them late or far off.
    now_ += static_cast<Timestamp>(random_() % (2 * kDayMs));
    for (std::uint64_t left = 1 + random_() % 60; left > 0; --left) {
      const auto series = static_cast<std::size_t>(random_() % kSeries);
      Timestamp ts = now_ + static_cast<Timestamp>(random_() % kHourMs) / 1000 * 1000;
      if (random_() % 8 == 0) ts -= static_cast<Timestamp>(random_() % (20 * kDayMs));
      if (random_() % 50 == 0) ts = -static_cast<Timestamp>(random_() % (kDayMs * 30'000));
      const auto value = static_cast<double>(++lastValue_);
      points[series][ts] = value;
      body += line(nameOf(series), ts, value);
    }
    return body;
  }
  void removeSome() {
    std::vector<SeriesId> ids;
    const auto pinned = database.engine().index();
    const SeriesIndex& index = *pinned;
    const Timestamp start = now_ - static_cast<Timestamp>(random_() % (10 * kDayMs));
    TimeRange range{start, start + static_cast<Timestamp>(random_() % (5 * kDayMs))};
    if (random_() % 8 == 0) range = kAllTime;
    for (std::uint64_t left = 1 + random_() % 3; left > 0; --left) {
      const auto series = static_cast<std::size_t>(random_() % kSeries);
      const auto ref = index.findByName(nameOf(series));
      if (!ref.ok() || !ref.value()) continue;
      ids.push_back(index.idOf(*ref.value()));
      Points& all = points[series];
      all.erase(all.lower_bound(range.start), all.upper_bound(range.end));
    }
    if (!ids.empty()) EXPECT(database.remove(ids, range).ok());
  }
  void step() {
    const std::uint64_t choice = random_() % 8;
    if (choice == 0) return removeSome();
    Status done;
    if (choice == 1) {
      done = database.compact().status();
    } else if (choice == 2) {
      done = database.open();
    } else {
      done = choice < 5 ? database.flush() : database.ingest(randomLines());
    }
    REQUIRE(done.ok());
  }
  void check() {
    const auto pinned = database.engine().index();
    const SeriesIndex& index = *pinned;
    for (std::size_t i = 0; i < kSeries; ++i) {
      EXPECT(database.read(nameOf(i)) == points[i]);
      const auto ref = index.findByName(nameOf(i));
      const auto bounds =
          ref.ok() && ref.value() ? index.boundsOf(*ref.value()) : std::optional<TimeRange>();
      EXPECT(bounds.has_value() == !points[i].empty());
      if (!bounds || points[i].empty()) continue;
      EXPECT(bounds->start == points[i].begin()->first && bounds->end == points[i].rbegin()->first);
    }
  }

  Database database;
  std::array<Points, kSeries> points;
  bool hasSmallCap;  // Overlapping segments whose union exceeds the cap stay apart.

 private:
  std::mt19937_64 random_;
  Timestamp now_ = 1'700'000'000'000;
  std::uint64_t lastValue_ = 0;
};

// Makes one segment for each request.
void fill(Model& model, int segments) {
  for (int i = 0; i < segments; ++i) {
    REQUIRE(model.database.ingest(model.randomLines()).ok());
    REQUIRE(model.database.flush().ok());
  }
}

}  // namespace

TEST("reads are right after random writes, deletions, flushes, restarts and compactions") {
  for (std::uint64_t round = 0; round < rounds(12U); ++round) {
    Model model(seed() + round, posixFileSystem());
    REQUIRE(model.database.open().ok());
    for (int i = 0; i < 120; ++i) {
      model.step();
      if (i % 4 == 0) model.check();
    }
    EXPECT(model.database.flush().ok() && model.database.compact().ok());
    model.check();
    double count = 0;
    for (const Points& all : model.points) count += static_cast<double>(all.size());
    // Overwritten and deleted samples are gone, and so are the deletions.
    EXPECT(model.hasSmallCap || model.database.stat("segment_samples") == count);
    EXPECT(model.database.stat("tombstones") == 0);
    EXPECT(model.database.segmentPaths().size() ==
           static_cast<std::size_t>(model.database.stat("segments")));
  }
}

TEST("eight segments of one time range are merged into one automatically") {
  Database database;
  database.options.isCompacting = true;
  REQUIRE(database.open().ok());
  Points expected;
  for (int i = 0; i < 8; ++i) {
    std::string body;
    for (int at = 0; at < 100; ++at) {
      const Timestamp ts = (i * 100 + at) * 1000;
      expected[ts] = at;
      body += line("m", ts, at);
    }
    REQUIRE(database.ingest(body).ok() && database.flush().ok());
  }
  // The last flush woke the thread; this request queues behind its work.
  EXPECT(database.compact().ok());
  EXPECT(database.stat("segments") == 1 && database.segmentPaths().size() == 1);
  EXPECT(database.stat("compactions_total") >= 1);
  EXPECT(database.read("m") == expected);
  REQUIRE(database.open().ok());
  EXPECT(database.read("m") == expected && database.stat("segments") == 1);
}

TEST("a reader beside compactions sees every sample once") {
  Model model(seed(), posixFileSystem());
  model.database.options.isCompacting = false;
  REQUIRE(model.database.open().ok());
  fill(model, 30);
  std::atomic<bool> isDone{false};
  int reads = 0;
  std::thread reader([&] {
    while (!isDone || reads < 20) {
      for (std::size_t i = 0; i < kSeries; ++i) {
        EXPECT(model.database.read(nameOf(i)) == model.points[i]);
      }
      ++reads;
    }
  });
  EXPECT(model.database.compact().ok());
  isDone = true;
  reader.join();
  EXPECT(model.database.stat("compactions_total") > 1);
}

TEST("a failed file operation of a compaction loses and duplicates nothing") {
  const std::uint64_t first = 1 + seed() % kOddStride;
  for (const Operation operation : kOperations) {
    bool isReached = true;
    for (std::uint64_t nth = first; isReached && nth < 60; nth += kOddStride) {
      FaultyFileSystem fs(posixFileSystem());
      Model model(seed() + nth, fs);
      model.database.options.isCompacting = false;
      REQUIRE(model.database.open().ok());
      fill(model, 4);
      model.removeSome();
      REQUIRE(model.database.flush().ok());
      const std::uint64_t before = fs.count(operation);
      fs.failAt(operation, nth);
      const bool isCompacted = model.database.compact().ok();
      isReached = fs.count(operation) >= before + nth;
      if (!isReached) EXPECT(isCompacted);
      model.check();
      // After the disk has recovered, or after a power cut.
      fs.heal();
      if (nth % 2 == 0) fs.losePower();
      REQUIRE(model.database.open().ok());
      model.check();
      EXPECT(model.database.compact().ok());
      model.check();
      EXPECT(model.database.segmentPaths().size() ==
             static_cast<std::size_t>(model.database.stat("segments")));
    }
    EXPECT(!isReached);
  }
}

TEST("files of merged segments stay while an earlier read may open them") {
  Model model(seed(), posixFileSystem());
  model.database.options.isCompacting = false;
  REQUIRE(model.database.open().ok());
  fill(model, 4);
  const std::size_t before = model.database.segmentPaths().size();
  const auto isLeft = [&model] {
    return model.database.segmentPaths().size() >
           static_cast<std::size_t>(model.database.stat("segments"));
  };
  {
    const auto view = model.database.engine().pinView(kAllTime);
    REQUIRE(view.ok());
    EXPECT(model.database.compact().ok());
    EXPECT(isLeft() && model.database.segmentPaths().size() >= before);
    model.check();
  }
  EXPECT(model.database.compact().ok());
  EXPECT(!isLeft());
  model.check();
}

TEST("a failed flush beside a compaction leaves a file that the next start ignores") {
  for (const Operation operation : kOperations) {
    bool isReached = true;
    for (std::uint64_t nth = 1; isReached && nth < 20; ++nth) {
      FaultyFileSystem fs(posixFileSystem());
      Model model(seed() + nth, fs);
      model.database.options.isCompacting = false;
      REQUIRE(model.database.open().ok());
      fill(model, 3);
      REQUIRE(model.database.ingest(model.randomLines()).ok());
      const std::uint64_t before = fs.count(operation);
      fs.failFrom(operation, nth);
      static_cast<void>(model.database.flush().ok());
      isReached = fs.count(operation) >= before + nth;
      fs.heal();
      // The flush's number is below those of the outputs, which MANIFEST assigns.
      static_cast<void>(model.database.compact().ok());
      fs.losePower();
      REQUIRE(model.database.open().ok());
      model.check();
    }
    EXPECT(!isReached);
  }
}

TEST("absurd timestamps in the past and future make few segments") {
  Database database;
  REQUIRE(database.open().ok());
  Points expected;
  std::string body;
  for (int i = 0; i < 500; ++i) {
    const Timestamp far = i * 9 * kDayMs;
    for (const Timestamp ts : {1'700'000'000'000 + i * 1000, 1'700'000'000'000'000'000 + far,
                               -6'000'000'000'000 - far}) {
      expected[ts] = i;
      body += line("m", ts, i);
    }
  }
  REQUIRE(database.ingest(body).ok() && database.flush().ok());
  EXPECT(database.compact().ok());
  EXPECT(database.stat("segments") == 3);
  EXPECT(database.read("m") == expected);
}

TEST("with a segment missing, leftovers of a compaction do not keep the database from opening") {
  Model model(seed(), posixFileSystem());
  Database& database = model.database;
  database.options.isCompacting = false;
  REQUIRE(database.open().ok());
  fill(model, 4);
  const std::string copied = database.segmentPath(2);
  const ByteBuffer bytes = contentOf(copied);
  EXPECT(database.compact().ok());
  fill(model, 1);
  const std::string last = database.segmentPath(lastNumber(database));
  database.close();
  // As a crash before the end leaves it.
  auto file = posixFileSystem().create(copied);
  REQUIRE(file.ok() && file.value()->append(bytes).ok());
  REQUIRE(posixFileSystem().remove(last).ok());
  for (int start = 0; start < 2; ++start) {
    REQUIRE(database.open().ok());
    EXPECT(database.stat("segments_quarantined") == 1);
    EXPECT(contentOf(copied) == bytes);
    EXPECT(database.flush().ok());
  }
}

TEST("a damaged segment is left alone, and its neighbours are merged") {
  Database database;
  REQUIRE(database.open().ok());
  for (int i = 0; i < 9; ++i) {
    // Enough samples for the chunk to have bytes.
    std::string body;
    for (int k = 0; k < 10; ++k) body += line("m", i * 1000 + k * k, i + k % 3);
    REQUIRE(database.ingest(body).ok() && database.flush().ok());
  }
  database.close();
  const std::string path = database.segmentPath(5);
  ByteBuffer bytes = contentOf(path);
  bytes[24 + 2] ^= 1;  // In its chunk.
  overwrite(path, bytes);
  REQUIRE(database.open().ok());
  EXPECT(database.compact().status().code() == StatusCode::kStorageCorrupt);
  EXPECT(contentOf(path) == bytes);
  EXPECT(database.stat("segments") == 3);
  EXPECT(database.readText("m").status().code() == StatusCode::kStorageCorrupt);
  EXPECT(database.read("m", {0, 3999})->size() == 40);
  EXPECT(database.read("m", {5000, 9000})->size() == 40);
}

TEST("closing the database ends a running compaction") {
  Model model(seed(), posixFileSystem());
  REQUIRE(model.database.open().ok());
  fill(model, 10);
  std::promise<Status> answer;
  model.database.engine().compact(
      [&answer](const auto& report) { answer.set_value(report.status()); });
  model.database.close();
  const Status status = answer.get_future().get();
  EXPECT(status.ok() || status.code() == StatusCode::kClosed);
  REQUIRE(model.database.open().ok());
  model.check();
}

namespace {

// A database whose next compaction wrote its segments but had no room for the commit.
struct Uncommitted {
  FaultyFileSystem fs{posixFileSystem()};
  std::unique_ptr<Database> database;
  Points expected;
  std::set<std::string> paths;  // The paths of all segments, adopted or not.

  std::set<std::string> segments() const {
    const auto found = database->segmentPaths();
    return {found.begin(), found.end()};
  }
  // Expects no leftover files.
  void checkFiles() {
    EXPECT(double(segments().size()) == database->stat("segments"));
    EXPECT(database->read("a") == expected);
    REQUIRE(database->open().ok());
    EXPECT(database->read("a") == expected);
    EXPECT(database->engine().degradedReasons().empty());
  }
};

void prepare(Uncommitted& to, bool isDeletion) {
  to.database = std::make_unique<Database>(to.fs);
  Database& database = *to.database;
  REQUIRE(database.open().ok());
  REQUIRE(database.ingest(lines("a", 100)).ok() && database.flush().ok());
  if (isDeletion) REQUIRE(database.compact().ok());
  to.expected = *database.read("a");
  if (isDeletion) {
    REQUIRE(database.remove({database.index()->idOf(0)}, {0, 49}).ok());
    std::erase_if(to.expected, [](const auto& one) { return one.first < 50; });
  } else {
    REQUIRE(database.ingest(line("a", 200, 200)).ok());
    to.expected[200] = 200;
  }
  REQUIRE(database.flush().ok());
}

// Finds the append that is the commit: appends of segments and catalogues come before it.
void failCommit(Uncommitted& to, bool isDeletion) {
  for (std::uint64_t nth = 1; nth < 200; ++nth) {
    prepare(to, isDeletion);
    const std::size_t before = to.segments().size();
    to.fs.failAt(Operation::kAppend, nth, StatusCode::kStorageUnavailable);
    const bool isFailed = !to.database->compact().ok();
    to.paths = to.segments();
    if (isFailed && to.paths.size() > before) return;
    to.fs.heal();
  }
  REQUIRE(false);
}

}  // namespace

TEST("a merge or deletion whose commit had no space reuses its written segments") {
  for (const bool isDeletion : {false, true}) {
    Uncommitted without;
    prepare(without, isDeletion);
    REQUIRE(without.database->compact().ok());
    Uncommitted model;
    failCommit(model, isDeletion);
    REQUIRE(model.database->compact().ok());
    // A rewritten segment has another number.
    EXPECT(lastNumber(*model.database) == lastNumber(*without.database));
    model.checkFiles();
  }
}

TEST("a deletion between two tries of a merge masks the segments of the first") {
  Uncommitted model;
  failCommit(model, false);
  REQUIRE(model.database->remove({model.database->index()->idOf(0)}, {90, 200}).ok());
  std::erase_if(model.expected, [](const auto& one) { return one.first >= 90; });
  REQUIRE(model.database->flush().ok() && model.database->compact().ok());
  model.checkFiles();
}

TEST("segments of a failed merge are removed when its inputs change or the database closes") {
  Uncommitted model;
  failCommit(model, false);
  REQUIRE(model.database->ingest(line("a", 300, 300)).ok() && model.database->flush().ok());
  model.expected[300] = 300;
  REQUIRE(model.database->compact().ok());
  model.checkFiles();

  Uncommitted closed;
  failCommit(closed, false);
  closed.database->close();
  EXPECT(closed.segments().size() < closed.paths.size());
  REQUIRE(closed.database->open().ok());
  closed.checkFiles();
}

TEST("segments of a failed merge are removed when the disk has no space for a merge") {
  Uncommitted model;
  failCommit(model, false);
  REQUIRE(model.database->ingest(line("a", 300, 300)).ok());
  model.expected[300] = 300;
  model.fs.setSpace(0);
  EXPECT(!model.database->flush().ok());
  REQUIRE(model.database->compact().ok());
  EXPECT(model.segments().size() < model.paths.size());
  model.fs.heal();
  REQUIRE(model.database->flush().ok() && model.database->compact().ok());
  model.checkFiles();
}

TEST("a merge whose commit has no space uses the reserve and frees its inputs") {
  bool isTaken = false;
  for (std::uint64_t nth = 1; nth < 200 && !isTaken; ++nth) {
    FaultyFileSystem fs(posixFileSystem());
    Database database(fs);
    database.options.reserveBytes = 64 << 10;
    REQUIRE(database.open().ok());
    REQUIRE(database.ingest(lines("a", 100)).ok() && database.flush().ok());
    REQUIRE(database.ingest(line("a", 200, 200)).ok() && database.flush().ok());
    fs.failAt(Operation::kAppend, nth, StatusCode::kStorageUnavailable);
    isTaken = database.compact().ok() && database.stat("cas_sync_failed_total") == 1;
    if (isTaken) EXPECT(database.segmentPaths().size() == 1);
  }
  EXPECT(isTaken);
}
