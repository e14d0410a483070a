// Deletions in the engine: deleted samples are gone from reads and discovery wherever they lie,
// stay gone over flushes, crashes and restarts, and may be written again.
#include <algorithm>
#include <array>
#include <atomic>
#include <optional>
#include <random>
#include <thread>
#include <utility>
#include <vector>

#include "format/manifest/manifest_edit.h"
#include "query/samples/series_stretches.h"
#include "storage/engine/engine_fixture.h"
#include "storage/view/merge_cursor.h"
#include "storage/write/removal.h"

using namespace seriesdb;
using namespace seriesdb::test;

namespace {

std::optional<SeriesRef> refOf(Database& database, std::string_view metric) {
  return database.index()->findByName(metric).value();
}

// Deletes from metrics without labels; a missing one is skipped.
Status remove(Database& database, const std::vector<std::string>& metrics, TimeRange range) {
  std::vector<SeriesId> series;
  for (const std::string& metric : metrics) {
    const auto ref = refOf(database, metric);
    if (ref) series.push_back(database.index()->idOf(*ref));
  }
  return database.remove(series, range);
}

// True if discovery reports exactly the facts of the series' points.
bool isDiscovered(Database& database, const std::string& metric, const Points& points) {
  const auto pinned = database.engine().index();
  const SeriesIndex& index = *pinned;
  const auto ref = refOf(database, metric);
  ListPart part;
  part.prefix = metric;
  const auto metrics = index.metrics(part, std::nullopt);
  if (points.empty()) return !ref && metrics.empty();
  const TimeRange bounds{points.begin()->first, points.rbegin()->first};
  const auto isBounds = [bounds](TimeRange one) {
    return one.start == bounds.start && one.end == bounds.end;
  };
  return ref && index.boundsOf(*ref) && isBounds(*index.boundsOf(*ref)) && metrics.size() == 1 &&
         metrics[0].seriesCount == 1 && isBounds(metrics[0].bounds);
}

void eraseWithin(Points& points, TimeRange range) {
  points.erase(points.lower_bound(range.start), points.upper_bound(range.end));
}

// Random requests, deletions, flushes and restarts of a few series against a map.
class Model {
 public:
  explicit Model(std::uint64_t seed) : random_(seed) { REQUIRE(database_.open().ok()); }

  void step() {
    const std::uint64_t dice = random_() % 20;
    if (dice < 8) return ingest();
    if (dice < 12) return erase();
    if (dice > 15) return check();
    EXPECT(dice < 14 ? database_.flush().ok() : database_.open().ok());
  }
  void check() {
    std::uint32_t visible = 0;
    for (int i = 0; i < kSeries; ++i) {
      const std::string metric = nameOf(i);
      const Points& points = series_[metric];
      visible += points.empty() ? 0 : 1;
      const TimeRange range = someRange();
      const Points part(points.lower_bound(range.start), points.upper_bound(range.end));
      EXPECT(database_.read(metric, range) == part);
      EXPECT(isDiscovered(database_, metric, points));
    }
    EXPECT(database_.index()->visibleCount() == visible);
  }

 private:
  static constexpr int kSeries = 4;
  static std::string nameOf(int number) { return "m" + std::to_string(number); }
  std::string name() { return nameOf(static_cast<int>(random_() % kSeries)); }
  Timestamp timestamp() {
    const auto small = static_cast<Timestamp>(random_() % 300);
    switch (random_() % 10) {
      case 0:
        return INT64_MIN + small % 3;
      case 1:
        return INT64_MAX - small % 3;
      case 2:
        return -small * 30'000'000;
      default:
        return small;
    }
  }
  TimeRange someRange() {
    if (random_() % 5 == 0) return kAllTime;
    TimeRange range{timestamp(), timestamp()};
    if (range.start > range.end) std::swap(range.start, range.end);
    return range;
  }
  void ingest() {
    std::string body;
    const std::uint64_t count = 1 + random_() % 60;
    const bool isAscending = random_() % 2 == 0;
    const Timestamp from = timestamp() / 2;
    for (std::uint64_t i = 0; i < count; ++i) {
      const std::string metric = name();
      const Timestamp ts = isAscending ? from + static_cast<Timestamp>(i) : timestamp();
      const auto value = static_cast<double>(random_() % 1000);
      body += line(metric, ts, value);
      series_[metric][ts] = value;
    }
    EXPECT(database_.ingest(body).ok());
  }
  void erase() {
    // Sometimes like the one before, so that the two can be joined.
    if (random_() % 3 > 0) {
      erased_.clear();
      for (std::uint64_t i = 0; i <= random_() % 3; ++i) erased_.push_back(name());
    }
    const std::uint64_t dice = random_() % 4;
    if (dice == 0 && erasedRange_.end < INT64_MAX - 20) {
      erasedRange_.start = erasedRange_.end + 1;
      erasedRange_.end += 1 + static_cast<Timestamp>(random_() % 20);
    } else if (dice > 1) {
      erasedRange_ = someRange();
    }
    EXPECT(remove(database_, erased_, erasedRange_).ok());
    for (const std::string& metric : erased_) eraseWithin(series_[metric], erasedRange_);
  }

  std::mt19937_64 random_;
  Database database_;
  std::map<std::string, Points> series_;
  std::vector<std::string> erased_;
  TimeRange erasedRange_{0, 0};
};

}  // namespace

TEST("deleted samples are gone from reads and discovery, for random operations") {
  for (std::uint64_t round = 0; round < 12; ++round) {
    Model model(seed() + round);
    for (int i = 0; i < 150; ++i) model.step();
    model.check();
  }
}

TEST("a deletion reaches memory and segments, and later writes are visible") {
  Database database;
  REQUIRE(database.open().ok());
  REQUIRE(database.ingest(line("m", 1, 1) + line("m", 2, 2) + line("m", 3, 3)).ok());
  REQUIRE(database.flush().ok());
  REQUIRE(database.ingest(line("m", 2, 20) + line("m", 4, 40) + line("n", 2, 5)).ok());
  REQUIRE(remove(database, {"m"}, {2, 3}).ok());
  Points expected{{1, 1}, {4, 40}};
  EXPECT(database.read("m") == expected);
  EXPECT(database.read("n") == (Points{{2, 5}}));
  EXPECT(database.stat("memtable_samples") == 2);
  EXPECT(database.stat("removals_total") == 1);
  REQUIRE(database.ingest(line("m", 3, 300)).ok());
  expected[3] = 300;
  for (int i = 0; i < 3; ++i) {
    EXPECT(database.read("m") == expected);
    EXPECT(isDiscovered(database, "m", expected));
    EXPECT(database.stat("tombstones") == 1);
    REQUIRE(i == 1 ? database.flush().ok() : database.open().ok());
  }
}

TEST("a series without samples is not discovered, and returns with its id and next sample") {
  Database database;
  REQUIRE(database.open().ok());
  REQUIRE(database.ingest(line("m", 1, 1)).ok());
  const SeriesId id = database.index()->idOf(refOf(database, "m").value());
  for (const bool isFlushed : {false, true}) {
    if (isFlushed) REQUIRE(database.flush().ok());
    REQUIRE(remove(database, {"m"}, kAllTime).ok());
    for (int i = 0; i < 3; ++i) {
      EXPECT(isDiscovered(database, "m", {}));
      EXPECT(database.readText("m").value() == "[]");
      EXPECT(database.stat("series") == 0);
      REQUIRE(i == 1 ? database.flush().ok() : database.open().ok());
    }
    REQUIRE(database.ingest(line("m", 7, 7)).ok());
    EXPECT(isDiscovered(database, "m", {{7, 7}}));
    EXPECT(database.index()->idOf(refOf(database, "m").value()) == id);
  }
}

TEST("a metric forgets labels and name matches of deleted series") {
  Database database;
  REQUIRE(database.open().ok());
  const auto labelled = [](const std::string& labels) {
    return "{\"metric\":\"m\",\"labels\":{" + labels + "},\"ts\":1,\"value\":1}\n";
  };
  REQUIRE(database.ingest(labelled("\"a\":\"1\"") + labelled("\"b\":\"1\"")).ok());
  const auto pinned = database.engine().index();
  const SeriesIndex& index = *pinned;
  EXPECT(index.findByName("m").status().code() == StatusCode::kAmbiguousSelector);
  const Label label{"a", "1"};
  const SeriesRef first = index.findExact("m", {&label, 1}).value();
  REQUIRE(database.remove({index.idOf(first), 12345}, kAllTime).ok());
  const auto left = index.findByName("m");
  EXPECT(left.ok() && left.value() && *left.value() != first);
  const auto metrics = index.metrics({}, std::nullopt);
  REQUIRE(metrics.size() == 1);
  EXPECT(metrics[0].seriesCount == 1 && metrics[0].labelKeys == std::vector<std::string_view>{"b"});
  EXPECT(index.labelValues("a", {}).empty());
  EXPECT(!index.findById(index.idOf(first)));
}

TEST("a flush records a tombstone without samples, and drops one that masks nothing") {
  Database database;
  REQUIRE(database.open().ok());
  REQUIRE(database.ingest(line("m", 1, 1) + line("m", 9, 9) + line("n", 5, 5)).ok());
  REQUIRE(database.flush().ok());
  REQUIRE(remove(database, {"m"}, {0, 5}).ok());
  REQUIRE(remove(database, {"n"}, {6, 8}).ok());
  EXPECT(database.stat("tombstones") == 2);
  REQUIRE(database.flush().ok());
  EXPECT(database.files("wal") == std::vector<std::string>{"0000000003.wal"});
  EXPECT(database.segmentPaths().size() == 1);
  // The deletion of n matched no sample.
  EXPECT(database.stat("tombstones") == 1);
  REQUIRE(database.flush().ok());
  EXPECT(database.files("wal") == std::vector<std::string>{"0000000003.wal"});
  REQUIRE(database.open().ok());
  EXPECT(database.stat("tombstones") == 1);
  EXPECT(database.read("m") == (Points{{9, 9}}));
  EXPECT(database.read("n") == (Points{{5, 5}}));
}

TEST("a flush joins adjacent deletions, but not across a segment with samples of their time") {
  Database database;
  REQUIRE(database.open().ok());
  const auto ingest = [&database](double value) {
    std::string body;
    for (Timestamp ts = 0; ts < 40; ++ts) {
      for (const char* metric : {"m", "n", "o"}) body += line(metric, ts, value);
    }
    REQUIRE(database.ingest(body).ok());
    REQUIRE(database.flush().ok());
  };
  const auto expectTombstones = [&database](double count) {
    EXPECT(database.stat("tombstones") == count);
    REQUIRE(database.flush().ok());
  };
  ingest(1);
  for (const char* metric : {"m", "n"}) REQUIRE(remove(database, {metric}, {0, 9}).ok());
  expectTombstones(2);
  // The same series, in another flush.
  REQUIRE(remove(database, {"m", "n"}, {10, 19}).ok());
  expectTombstones(2);
  EXPECT(database.stat("tombstones") == 1);
  // New samples at the deleted times must stay.
  ingest(2);
  REQUIRE(remove(database, {"m", "n"}, {20, 29}).ok());
  expectTombstones(2);
  EXPECT(database.stat("tombstones") == 2);
  for (int restarts = 0; restarts < 2; ++restarts) {
    for (const char* metric : {"m", "n"}) {
      const auto points = database.read(metric);
      REQUIRE(points && points->size() == 30);
      EXPECT(points->at(0) == 2 && points->at(19) == 2 && points->at(30) == 2);
      EXPECT(!points->contains(20) && !points->contains(29));
    }
    EXPECT(database.read("o")->size() == 40);
    REQUIRE(database.open().ok());
  }
}

LONE_TEST("many deletions are joined in time proportional to their number") {
  // Comparing each of these with every other one would take minutes.
  constexpr std::uint32_t kCount = 200'000;
  const auto of = [](SeriesRef ref, Timestamp ts, std::uint64_t sequence) {
    return std::make_shared<const Tombstone>(Tombstone{{ref}, {ts, ts}, sequence});
  };
  Tombstones apart;   // Single times of one series.
  Tombstones aside;   // One time of many series.
  Tombstones behind;  // Times in descending order that touch.
  for (std::uint32_t i = 0; i < kCount; ++i) {
    apart.push_back(of(7, Timestamp{i} * 2, i + 1));
    aside.push_back(of(kCount - i, 5, i + 1));
    behind.push_back(of(7, Timestamp{kCount} - i, i + 1));
  }
  ManifestState state;
  SegmentFacts facts;
  facts.number = 1;
  facts.tsMax = Timestamp{kCount} * 2;
  state.segments = {facts};
  const Tombstones same = joinTombstones(state, apart);
  REQUIRE(same.size() == kCount && same[9]->range.start == 18 && same[9]->sequence == 10);
  const Tombstones one = joinTombstones(state, aside);
  REQUIRE(one.size() == 1 && one[0]->refs.size() == kCount && one[0]->sequence == kCount);
  const Tombstones whole = joinTombstones(state, behind);
  REQUIRE(whole.size() == 1 && whole[0]->range.start == 1 && whole[0]->range.end == kCount);
  // MANIFEST takes these deletions, and the times between them join them all.
  ManifestEdit edit;
  edit.tombstones = apart;
  REQUIRE(applyEdit(state, edit).ok() && state.tombstones.size() == kCount);
  Tombstones between;
  for (std::uint32_t i = 0; i < kCount; ++i) {
    between.push_back(of(7, Timestamp{i} * 2 + 1, kCount + i + 1));
  }
  edit.tombstones = joinTombstones(state, between);
  REQUIRE(edit.tombstones.size() == 1 && applyEdit(state, edit).ok());
  REQUIRE(state.tombstones.size() == 1 && state.tombstones[0]->sequence == 2 * kCount);
}

TEST("deleting missing series succeeds, and an invalid range is refused") {
  Database database;
  REQUIRE(database.open().ok());
  REQUIRE(database.ingest(line("m", 1, 1)).ok());
  EXPECT(database.remove({1, 2, 3}, kAllTime).ok());
  EXPECT(database.remove({}, kAllTime).ok());
  EXPECT(remove(database, {"m"}, {2, 1}).code() == StatusCode::kInvalidArgument);
  EXPECT(database.stat("tombstones") == 0);
  EXPECT(database.read("m") == (Points{{1, 1}}));
  EXPECT(database.stat("request_bytes") == 0);
}

TEST("a failed file operation of a flush brings no deleted sample back") {
  for (const Operation operation : kOperations) {
    bool isReached = true;
    for (std::uint64_t nth = 1; isReached && nth < 40; ++nth) {
      FaultyFileSystem fs(posixFileSystem());
      Database database(fs);
      REQUIRE(database.open().ok());
      REQUIRE(database.ingest(line("m", 1, 1) + line("m", 2, 2) + line("gone", 1, 1)).ok());
      REQUIRE(database.flush().ok());
      REQUIRE(remove(database, {"m"}, {2, 2}).ok());
      if (nth % 3 == 0) REQUIRE(database.flush().ok());
      REQUIRE(remove(database, {"gone"}, kAllTime).ok());
      if (nth % 2 == 0) REQUIRE(database.ingest(line("m", 3, 3)).ok());
      Points expected{{1, 1}};
      if (nth % 2 == 0) expected[3] = 3;
      const auto expectSame = [&] {
        EXPECT(database.read("m") == expected);
        EXPECT(isDiscovered(database, "m", expected));
        EXPECT(isDiscovered(database, "gone", {}));
      };
      const std::uint64_t before = fs.count(operation);
      fs.failAt(operation, nth);
      static_cast<void>(database.flush().ok());
      isReached = fs.count(operation) >= before + nth;
      expectSame();
      database.close();
      fs.heal();
      if (nth % 4 < 2) fs.losePower();
      REQUIRE(database.open().ok());
      expectSame();
      REQUIRE(database.flush().ok());
      expectSame();
      database.close();
      fs.losePower();
      REQUIRE(database.open().ok());
      expectSame();
    }
    EXPECT(!isReached);
  }
}

TEST("a reader beside deletions sees written values or no samples") {
  Database database;
  REQUIRE(database.open().ok());
  REQUIRE(database.ingest(line("kept", 1, 1)).ok());
  std::string body;
  for (Timestamp ts = 0; ts < 500; ++ts) body += line("m", ts, static_cast<double>(ts));
  std::atomic<bool> isDone = false;
  std::thread reader([&database, &isDone] {
    while (!isDone) {
      const auto points = database.read("m");
      EXPECT(points && points->size() <= 500);
      if (!points) continue;
      for (const auto& [ts, value] : *points) EXPECT(static_cast<double>(ts) == value);
      EXPECT(isDiscovered(database, "kept", {{1, 1}}));
    }
  });
  for (int round = 0; round < 60; ++round) {
    EXPECT(database.ingest(body).ok());
    if (round % 3 == 0) EXPECT(database.flush().ok());
    EXPECT(remove(database, {"m"}, {round, 400 + round}).ok());
    EXPECT(database.read("m")->size() == 99);
    if (round % 4 == 0) EXPECT(remove(database, {"m"}, kAllTime).ok());
  }
  isDone = true;
  reader.join();
}

TEST("a read with a view older than a deletion shows no overwritten samples") {
  Database database;
  REQUIRE(database.open().ok());
  REQUIRE(database.ingest(line("m", 1, 1) + line("m", 2, 1) + line("m", 3, 1)).ok());
  REQUIRE(database.flush().ok());
  REQUIRE(database.ingest(line("m", 1, 2) + line("m", 2, 2) + line("n", 1, 1)).ok());
  const SeriesRef ref = refOf(database, "m").value();
  const auto view = database.engine().pinView(kAllTime).value();
  MergeCursor early(view, ref, kAllTime);
  REQUIRE(remove(database, {"m"}, {2, 3}).ok());
  MergeCursor late(view, ref, kAllTime);
  for (MergeCursor* cursor : {&early, &late}) {
    std::vector<Timestamp> ts;
    std::vector<double> values;
    REQUIRE(cursor->next(10, ts, values).ok());
    EXPECT(ts == (std::vector<Timestamp>{1}) && values == (std::vector<double>{2}));
  }
  std::vector<Stretch> stretches;
  SeriesChunks chunks;
  SeriesSources sources;
  findChunks(*view, {&ref, 1}, kAllTime, chunks);
  sources.capture(*view, chunks, kAllTime);
  findStretches(sources, stretches);
  REQUIRE(stretches.size() == 1);
  EXPECT(stretches[0].range.start == 1 && stretches[0].range.end == 1);
  // A later view hides no sample written since.
  REQUIRE(database.ingest(line("m", 2, 3)).ok());
  EXPECT(database.read("m") == (Points{{1, 2}, {2, 3}}));
}

TEST("a deletion that cannot be logged is refused and deletes nothing") {
  FaultyFileSystem fs(posixFileSystem());
  Database database(fs);
  REQUIRE(database.open().ok());
  REQUIRE(database.ingest(line("m", 1, 1)).ok());
  fs.setSpace(3);
  EXPECT(remove(database, {"m"}, kAllTime).code() == StatusCode::kStorageUnavailable);
  EXPECT(database.read("m") == (Points{{1, 1}}));
  fs.heal();
  EXPECT(remove(database, {"m"}, kAllTime).ok());
  EXPECT(isDiscovered(database, "m", {}));
  EXPECT(database.stat("request_bytes") == 0);
}

TEST("a deletion whose sync fails is refused and not seen, and the database is read-only") {
  FaultyFileSystem fs(posixFileSystem());
  Database database(fs);
  REQUIRE(database.open().ok());
  REQUIRE(database.ingest(line("m", 1, 1)).ok());
  fs.failAt(Operation::kSync, 1);
  EXPECT(remove(database, {"m"}, kAllTime).code() == StatusCode::kStorageUnavailable);
  EXPECT(database.read("m") == (Points{{1, 1}}));
  EXPECT(database.engine().admit().code() == StatusCode::kStorageUnavailable);
  EXPECT(database.stat("request_bytes") == 0);
}

TEST("a WAL cut at any byte of a deletion has it whole or not at all") {
  Database database;
  REQUIRE(database.open().ok());
  REQUIRE(database.ingest(line("m", 1, 1) + line("m", 2, 2)).ok());
  REQUIRE(database.open().ok());
  const std::string first = database.path("wal/0000000001.wal");
  const ByteBuffer before = contentOf(first);
  REQUIRE(remove(database, {"m"}, {1, 1}).ok());
  database.close();
  const std::string path = database.path("wal/0000000002.wal");
  const ByteBuffer whole = reopenLog(path);
  const ByteBuffer manifest = contentOf(database.path("MANIFEST"));
  for (std::size_t size = recordBounds(whole)[1]; size <= whole.size(); ++size) {
    for (const std::string& name : database.files("wal")) {
      REQUIRE(posixFileSystem().remove(database.path("wal/" + name)).ok());
    }
    for (const auto& [name, bytes] : {std::pair{first, before}, std::pair{path, whole}}) {
      auto file = posixFileSystem().create(name);
      const std::size_t kept = name == path ? size : bytes.size();
      REQUIRE(file.ok() && file.value()->append(Bytes(bytes).first(kept)).ok());
    }
    overwrite(database.path("MANIFEST"), manifest);
    REQUIRE(database.open().ok());
    const bool isDeleted = size == whole.size();
    EXPECT(database.read("m") == (isDeleted ? Points{{2, 2}} : Points{{1, 1}, {2, 2}}));
    database.close();
  }
}
