// Deletions from very many series: the cost per series is paid beside requests, and reads and
// discovery answer as if it were done at once.
#include <atomic>
#include <chrono>
#include <future>
#include <latch>
#include <map>
#include <random>
#include <set>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "storage/engine/engine_fixture.h"
#include "storage/engine/engine_open.h"
#include "storage/view/memory_segment.h"
#include "storage/view/merge_cursor.h"

using namespace seriesdb;
using namespace seriesdb::test;

namespace {

std::string sample(std::size_t series, Timestamp ts, double value) {
  // Two metrics; the second has an additional key.
  const std::string labels = series % 5 == 0 ? "\"k\":\"" : "\"zone\":\"z\",\"k\":\"";
  return std::string("{\"metric\":\"") + (series % 5 == 0 ? "a" : "b") + "\",\"labels\":{" +
         labels + std::to_string(series) + "\"},\"ts\":" + std::to_string(ts) +
         ",\"value\":" + std::to_string(value) + "}\n";
}

// The samples of a series, by a merge of all sources.
Points samplesOf(Database& database, SeriesRef ref) {
  MergeCursor cursor(database.engine().pinView(kAllTime).value(), ref, kAllTime);
  std::vector<Timestamp> ts;
  std::vector<double> values;
  EXPECT(cursor.next(1'000'000, ts, values).ok());
  Points points;
  for (std::size_t i = 0; i < ts.size(); ++i) points[ts[i]] = values[i];
  return points;
}

// Expects discovery to report exactly the samples of every series and every name.
void expectDiscovered(const SeriesIndex& index, const std::map<SeriesRef, Points>& all) {
  std::map<std::string_view, MetricFacts> metrics;
  std::map<std::string_view, std::set<std::string_view>> keys;
  std::uint32_t visible = 0;
  for (const auto& [ref, points] : all) {
    const auto bounds = index.boundsOf(ref);
    EXPECT(bounds.has_value() == !points.empty());
    if (points.empty() || !bounds) continue;
    ++visible;
    const TimeRange expected{points.begin()->first, points.rbegin()->first};
    EXPECT(bounds->start == expected.start && bounds->end == expected.end);
    MetricFacts& facts = metrics[index.nameOf(ref)];
    if (facts.seriesCount++ == 0) facts.bounds = expected;
    facts.bounds.start = std::min(facts.bounds.start, expected.start);
    facts.bounds.end = std::max(facts.bounds.end, expected.end);
    std::vector<Label> labels;
    index.labelsOf(ref, labels);
    for (const Label& label : labels) keys[index.nameOf(ref)].insert(label.key);
  }
  EXPECT(index.visibleCount() == visible);
  const auto found = index.metrics({}, std::nullopt);
  EXPECT(found.size() == metrics.size());
  for (const MetricFacts& facts : found) {
    const MetricFacts& expected = metrics[facts.name];
    EXPECT(facts.seriesCount == expected.seriesCount);
    EXPECT(facts.bounds.start == expected.bounds.start && facts.bounds.end == expected.bounds.end);
    const std::set<std::string_view> had(facts.labelKeys.begin(), facts.labelKeys.end());
    EXPECT(had == keys[facts.name]);
  }
}

bool says(const Status& status, std::string_view text) {
  return status.message().find(text) != std::string::npos;
}

// A database with `seriesCount` series.
class Fleet {
 public:
  Fleet(Database& database, std::size_t seriesCount) : database_(database) {
    std::string body;
    for (std::size_t i = 0; i < seriesCount; ++i) body += sample(i, 1'000, 1);
    REQUIRE(database_.ingest(body).ok());
    const auto pinned = database_.engine().index();
    const SeriesIndex& index = *pinned;
    for (SeriesRef ref = 0; ref < index.createdCount(); ++ref) {
      ids_.push_back(index.idOf(ref));
      all_[ref] = {{1'000, 1}};
    }
    REQUIRE(ids_.size() == seriesCount);
  }

  const std::vector<SeriesId>& ids() const { return ids_; }
  std::map<SeriesRef, Points>& all() { return all_; }
  // The series were made in order.
  std::string write(SeriesRef ref, Timestamp ts, double value) {
    all_[ref][ts] = value;
    return sample(ref, ts, value);
  }
  void remove(const std::vector<SeriesRef>& refs, TimeRange range) {
    std::vector<SeriesId> ids;
    for (const SeriesRef ref : refs) {
      ids.push_back(ids_[ref]);
      Points& points = all_[ref];
      points.erase(points.lower_bound(range.start), points.upper_bound(range.end));
    }
    EXPECT(database_.remove(ids, range).ok());
  }

 private:
  Database& database_;
  std::vector<SeriesId> ids_;
  std::map<SeriesRef, Points> all_;
};

// Opens a database with room for the tombstones of two ranges of two series.
Fleet fleetWithLittleRoom(Database& database) {
  database.options.tombstoneRefsMax = 2 * (kTombstoneWeight + 2);
  CHECK(database.open().ok());
  Fleet fleet(database, 2);
  for (const Timestamp ts : {1, 2'000}) {
    CHECK(database.ingest(fleet.write(0, ts, 1) + fleet.write(1, ts, 1)).ok());
  }
  return fleet;
}
// A removal of one range more than there is room for; together these hold all samples.
Removal withoutRoom(const Fleet& fleet) {
  Removal removal = Removal::ofIds(fleet.ids(), {0, 1});
  removal.ranges = {{0, 1}, {900, 1'100}, {2'000, 2'001}};
  return removal;
}

}  // namespace

TEST("samples deleted from many series are gone from reads and discovery, wherever stored") {
  for (std::uint64_t round = 0; round < 3; ++round) {
    std::mt19937_64 random(seed() + round);
    Database database;
    REQUIRE(database.open().ok());
    Fleet fleet(database, 3000);
    for (int step = 0; step < 30; ++step) {
      std::string body;
      for (std::uint64_t i = 0; i < random() % 4000; ++i) {
        const auto ref = static_cast<SeriesRef>(random() % 3000);
        body += fleet.write(ref, static_cast<Timestamp>(random() % 2000), step);
      }
      if (!body.empty()) REQUIRE(database.ingest(body).ok());
      if (random() % 3 == 0) REQUIRE(database.flush().ok());
      const auto start = static_cast<Timestamp>(random() % 2000);
      TimeRange range{start, start + static_cast<Timestamp>(random() % 1500)};
      if (random() % 4 == 0) range = kAllTime;
      std::vector<SeriesRef> refs;
      const std::uint64_t part = 1 + random() % 12;
      for (SeriesRef ref = 0; ref < 3000; ++ref) {
        if (random() % part == 0) refs.push_back(ref);
      }
      fleet.remove(refs, range);
      expectDiscovered(*database.index(), fleet.all());
      for (int i = 0; i < 50; ++i) {
        const auto ref = static_cast<SeriesRef>(random() % 3000);
        EXPECT(samplesOf(database, ref) == fleet.all()[ref]);
      }
      if (random() % 8 == 0) REQUIRE(database.open().ok());
    }
    REQUIRE(database.flush().ok());
    for (const auto& [ref, points] : fleet.all()) EXPECT(samplesOf(database, ref) == points);
    REQUIRE(database.open().ok());
    expectDiscovered(*database.index(), fleet.all());
  }
}

TEST("a request behind a deletion is answered before the bounds of the series are renewed") {
  Database database;
  REQUIRE(database.open().ok());
  Fleet fleet(database, 250);
  // The committer waits here until both are queued, so that it takes them together.
  std::promise<void> sent;
  std::vector<std::string> order;
  std::promise<void> isRemoved;
  std::mutex mutex;
  const auto note = [&](const char* what) {
    const std::lock_guard lock(mutex);
    order.emplace_back(what);
  };
  database.engine().commit({}, 0, [&](const auto&) { sent.get_future().wait(); });
  database.engine().remove(Removal::ofIds(fleet.ids(), kAllTime), [&](const auto& removed) {
    EXPECT(removed.ok() && removed.value() == 250);
    note("removal");
    isRemoved.set_value();
  });
  database.engine().commit({}, 0, [&](const auto&) { note("request"); });
  sent.set_value();
  isRemoved.get_future().wait();
  const std::lock_guard lock(mutex);
  EXPECT(order == (std::vector<std::string>{"request", "removal"}));
  EXPECT(database.index()->visibleCount() == 0);
}

TEST("bounds are exact when samples, deletions and flushes arrive while they are computed") {
  Database database;
  database.options.isCompacting = true;
  REQUIRE(database.open().ok());
  Fleet fleet(database, 2000);
  std::atomic<bool> isDone = false;
  std::thread writer([&] {
    std::mt19937_64 random(seed() + 1);
    for (int round = 0; !isDone; ++round) {
      std::string body;
      for (int i = 0; i < 300; ++i) {
        body += sample(random() % 2000, static_cast<Timestamp>(random() % 3000), round);
      }
      EXPECT(database.ingest(body).ok());
      if (round % 7 == 0) EXPECT(database.flush().ok());
    }
  });
  std::thread reader([&] {
    std::mt19937_64 random(seed() + 2);
    while (!isDone) {
      const auto points = samplesOf(database, static_cast<SeriesRef>(random() % 2000));
      const auto metrics = database.index()->metrics({}, 100);
      EXPECT(metrics.size() <= 2 && points.size() <= 3000);
    }
  });
  std::mt19937_64 random(seed());
  for (int round = 0; round < 40; ++round) {
    const auto start = static_cast<Timestamp>(random() % 3000);
    const TimeRange range{start, start + static_cast<Timestamp>(random() % 2000)};
    auto many = database.beginRemoval(fleet.ids(), round % 3 == 0 ? kAllTime : range);
    auto few = database.beginRemoval({fleet.ids()[random() % 2000], fleet.ids()[0]}, range);
    EXPECT(many.get().ok() && few.get().ok());
  }
  isDone = true;
  writer.join();
  reader.join();
  // The last deletion renews its bounds after all earlier ones.
  EXPECT(database.remove({fleet.ids()[0]}, {-5, -5}).ok());
  std::map<SeriesRef, Points> left;
  for (SeriesRef ref = 0; ref < 2000; ++ref) left[ref] = samplesOf(database, ref);
  expectDiscovered(*database.index(), left);
}

TEST("a deletion is answered if others of its series arrive while its bounds are computed") {
  constexpr std::size_t kSeries = 60'000;
  Database database;
  REQUIRE(database.open().ok());
  Fleet fleet(database, kSeries);
  const auto pinned = database.engine().index();
  const SeriesIndex& index = *pinned;
  auto many = database.beginRemoval(fleet.ids(), kAllTime);
  // The first bounds are done now; those of the last series are not.
  while (index.visibleCount() == kSeries) std::this_thread::yield();
  // So many that the erasure of the memtable's strips is deferred.
  auto few = database.beginRemoval({fleet.ids().end() - 100, fleet.ids().end()}, {5, 6});
  EXPECT(many.wait_for(std::chrono::seconds(20)) == std::future_status::ready);
  EXPECT(few.wait_for(std::chrono::seconds(20)) == std::future_status::ready);
  EXPECT(index.visibleCount() == 0);
}

TEST("a deletion is answered while memtables are flushed without pause") {
  constexpr std::size_t kSeries = 300;
  constexpr Timestamp kFlushed = 3'000;
  Database database;
  REQUIRE(database.open().ok());
  Fleet fleet(database, kSeries);
  // Bounds take long over many segments, so that a flush ends before all are done.
  for (Timestamp ts = 2'000; ts < 2'100; ++ts) {
    std::string body;
    for (std::size_t i = 0; i < kSeries; ++i) body += sample(i, ts, 1);
    REQUIRE(database.ingest(body).ok() && database.flush().ok());
  }
  std::atomic<bool> isDone = false;
  Timestamp flushed = 0;
  std::thread flushing([&] {
    for (; !isDone && flushed < kFlushed; ++flushed) {
      EXPECT(database.ingest(sample(0, 5'000 + flushed, 1)).ok() && database.flush().ok());
    }
  });
  EXPECT(database.remove(fleet.ids(), {1'000, 2'000}).ok());
  isDone = true;
  flushing.join();
  EXPECT(flushed < kFlushed);
  const auto bounds = database.index()->boundsOf(kSeries - 1);
  EXPECT(bounds && bounds->start == 2'001 && bounds->end == 2'099);
}

TEST("a close ends a deletion of many series, which is either whole or refused") {
  for (int round = 0; round < 10; ++round) {
    Database database;
    REQUIRE(database.open().ok());
    Fleet fleet(database, 1500);
    auto answer = database.beginRemoval(fleet.ids(), kAllTime);
    database.close();
    const Status status = answer.get();
    EXPECT(status.ok() || status.code() == StatusCode::kClosed);
    REQUIRE(database.open().ok());
    EXPECT(database.index()->visibleCount() == (status.ok() ? 0 : 1500));
  }
}

TEST("a deletion by filter finds its own series, and deletes nothing past the series limit") {
  Database database;
  REQUIRE(database.open().ok());
  Fleet fleet(database, 50);
  Removal removal;
  removal.series.name = NameFilter::exact("b");
  removal.ranges = {{0, 10}, {990, 1'010}};
  removal.seriesMax = 39;
  const auto refused = database.remove(removal);
  EXPECT(refused.status().code() == StatusCode::kQueryLimit);
  EXPECT(says(refused.status(), "more than max_query_series = 39 series"));
  expectDiscovered(*database.index(), fleet.all());
  removal.seriesMax = 40;
  const auto removed = database.remove(removal);
  EXPECT(removed.ok() && removed.value() == 40);
  for (auto& [ref, points] : fleet.all()) {
    if (database.index()->nameOf(ref) == "b") points.clear();
    EXPECT(samplesOf(database, ref) == points);
  }
  expectDiscovered(*database.index(), fleet.all());
  const auto again = database.remove(removal);
  EXPECT(again.ok() && again.value() == 0);
}

TEST("after a restart no deleted samples are in memory") {
  Database database;
  REQUIRE(database.open().ok());
  Fleet fleet(database, 200);
  REQUIRE(database.ingest(fleet.write(7, 2'000, 1)).ok());
  EXPECT(database.remove(fleet.ids(), {0, 1'500}).ok());
  database.close();
  REQUIRE(database.open().ok());
  const PinnedView view = database.engine().pinView(kAllTime).value();
  EXPECT(view->active->sampleCount() == 1);
}

TEST("a deletion without room is refused before any part of it is applied") {
  Database database;
  Fleet fleet = fleetWithLittleRoom(database);
  Removal removal = withoutRoom(fleet);
  const auto refused = database.remove(removal);
  EXPECT(refused.status().code() == StatusCode::kQueryLimit);
  EXPECT(!says(refused.status(), "already deleted"));
  EXPECT(database.stat("tombstones") == 0);
  for (const auto& [ref, points] : fleet.all()) EXPECT(samplesOf(database, ref) == points);
  removal.ranges.pop_back();
  EXPECT(database.remove(removal).ok());
  EXPECT(samplesOf(database, 0) == (Points{{2'000, 1}}));
}

TEST("a deletion that fails halfway reports what is already deleted") {
  FaultyFileSystem fs(posixFileSystem());
  Database database(fs);
  REQUIRE(database.open().ok());
  Fleet fleet(database, 3);
  for (SeriesRef ref = 0; ref < 3; ++ref) {
    REQUIRE(database.ingest(fleet.write(ref, 2'000, 1) + fleet.write(ref, 3'000, 1)).ok());
  }
  Removal removal = Removal::ofIds(fleet.ids(), {0, 1});
  removal.ranges = {{900, 1'100}, {2'000, 2'001}, {3'000, 3'001}};
  fs.failAt(Operation::kAppend, 2, StatusCode::kStorageUnavailable);
  const auto failed = database.remove(removal);
  EXPECT(failed.status().code() == StatusCode::kStorageUnavailable);
  EXPECT(says(failed.status(),
              "; already deleted: 1 of 3 time ranges, and in the next one 0 of 3 series"));
  EXPECT(samplesOf(database, 0) == (Points{{2'000, 1}, {3'000, 1}}));
}

TEST("a refused deletion, or one without series, is not counted") {
  Database database;
  Fleet fleet = fleetWithLittleRoom(database);
  Removal removal = withoutRoom(fleet);
  EXPECT(database.remove(removal).status().code() == StatusCode::kQueryLimit);
  removal.series.name = NameFilter::exact("nobody");
  const auto none = database.remove(removal);
  EXPECT(none.ok() && none.value() == 0);
  EXPECT(database.remove({SeriesId{1}}, kAllTime).ok());
  EXPECT(database.stat("removals_total") == 0);
  EXPECT(database.remove(fleet.ids(), kAllTime).ok());
  EXPECT(database.stat("removals_total") == 1);
}

namespace {

// Very many pages of one series. The first read of a page blocks until released.
class PagedSegment final : public MemorySegment {
 public:
  using MemorySegment::MemorySegment;
  std::size_t pageCount() const override { return 20'000; }
  Status readPage(std::size_t page, std::vector<ChunkEntry>& chunks) const override {
    if (page == 0) {
      isAsked.count_down();
      isLetGo.wait();
    }
    const Status read = MemorySegment::readPage(page, chunks);
    // Alternating series, as of many: adjacent entries of one series would be joined, so that a
    // single step would take all pages.
    for (int i = 0; i < 99; ++i) {
      chunks.push_back(chunks.front());
      chunks.back().series = static_cast<SeriesRef>(i % 2);
    }
    return read;
  }
  mutable std::latch isAsked{1};
  mutable std::latch isLetGo{1};
};

}  // namespace

TEST("a deletion does not wait until discovery forgets earlier drops by retention") {
  Database database;
  const auto opened = openDatabase(posixFileSystem(), database.options);
  REQUIRE(opened.ok());
  EngineOwners& owners = *opened.value();
  const auto index = owners.sources.index.writable();
  REQUIRE(index->findOrCreate("a", {}).ok() && index->findOrCreate("b", {}).ok());
  WorkPace pace({monotonicNanos, [] { return 0; }, [](std::uint64_t) {}}, 100);
  Committer committer({owners.settings, owners.sources, owners.writes, owners.room, owners.figures},
                      {[] {}, {}});
  Remover remover(
      {owners.settings, owners.sources, owners.description.manifest, owners.figures.counters},
      committer, pace, [] {});
  std::uint64_t asked = 0;
  const Timestamp ts[] = {1, 2};
  const double values[] = {1, 2};
  const auto segment = std::make_shared<PagedSegment>(0, ts, values, asked);
  std::atomic<bool> isForgotten{false};
  remover.forget({segment}, [&] { isForgotten = true; });
  segment->isAsked.wait();
  std::promise<bool> answer;
  Removal all;
  all.ranges = {kAllTime};
  remover.remove(std::move(all), [&](const auto&) { answer.set_value(isForgotten); });
  segment->isLetGo.count_down();
  EXPECT(!answer.get_future().get());
  remover.stop();
  EXPECT(isForgotten);
  EXPECT(segment.use_count() == 1);
  EXPECT(committer.stop().ok());
}
