// Reads that run beside requests, deletions and flushes: each answer for a series is its state at
// one moment of the read.
#include <atomic>
#include <functional>
#include <random>
#include <thread>

#include "query/aggregate_query.h"
#include "query/rows/row_query.h"
#include "query/samples/column_reader.h"
#include "storage/engine/engine_fixture.h"
#include "storage/view/live_bounds.h"
#include "storage/view/merge_cursor.h"

using namespace seriesdb;
using namespace seriesdb::test;

namespace {

constexpr Timestamp kTimes = 12;
// Samples at both ends are never deleted, so the bounds of the series stay the same.
constexpr Timestamp kFirst = -1;
constexpr Timestamp kLast = 100;

SeriesRef refOf(Database& database, std::string_view name) {
  return database.index()->find(std::string(name) + "|{}").value();
}

AggregatePlan planOf(SeriesRef ref, std::vector<AggregateKind> kinds) {
  AggregatePlan plan;
  plan.read.refs = {ref};
  plan.read.ranges = {kAllTime};
  for (const AggregateKind kind : kinds) plan.aggregates.push_back({kind, 0});
  return plan;
}

ResultTable run(Database& database, const AggregatePlan& plan) {
  auto query = AggregateQuery::make(database.engine(), database.engine().index(), plan);
  CHECK(query.ok());
  ResultTable table;
  const Status ran = query.value()->run({}, table);
  CHECK(ran.ok());
  return table;
}

Points columnsOf(Database& database, SeriesRef ref) {
  ColumnReader reader(database.engine().pinView(kAllTime).value(), {ref}, kAllTime);
  Points points;
  ColumnBatch batch;
  do {
    CHECK(reader.next(batch).ok());
    for (std::size_t i = 0; i < batch.ts.size(); ++i) points[batch.ts[i]] = batch.values[i];
  } while (!batch.ts.empty());
  return points;
}

Points rowsOf(Database& database, SeriesRef ref, bool isDescending) {
  RowOrder order;
  order.isDescending = isDescending;
  auto query = RowQuery::make(database.engine().pinView(kAllTime).value(), planOf(ref, {}).read,
                              std::move(order));
  CHECK(query.ok());
  CHECK(query.value()->read({}).ok());
  Points points;
  for (const SampleRow& row : query.value()->rows().left()) points[row.ts] = row.value;
  return points;
}

Points bucketsOf(Database& database, SeriesRef ref) {
  AggregatePlan plan = planOf(ref, {AggregateKind::kMax});
  plan.bucket = {1, 0};
  plan.keys = {{KeyKind::kBucket, ""}};
  const ResultTable table = run(database, plan);
  Points points;
  for (std::size_t row = 0; row < table.rowCount; ++row) {
    points[table.columns[0].integers[row]] = table.columns[1].doubles[row];
  }
  return points;
}

// The changes of one writer, in sequence, and the content of the series after each.
class Course {
 public:
  Course() : states_(kChanges + 1) {
    database_.options.fsync = FsyncPolicy::kNone;
    CHECK(database_.open().ok());
    std::string body = line("m", kFirst, 0) + line("m", kLast, 0);
    // With so many series a deletion takes several turns to go through the rows.
    for (int i = 0; i < kOthers; ++i) body += line("other" + std::to_string(i), 0, 0);
    CHECK(database_.ingest(body).ok());
    states_[0] = {{kFirst, 0}, {kLast, 0}};
    const auto pinned = database_.engine().index();
    const SeriesIndex& index = *pinned;
    for (SeriesRef ref = 0; ref < index.visibleCount(); ++ref) ids_.push_back(index.idOf(ref));
  }

  Database& database() { return database_; }
  // Makes all changes, while other threads read.
  void write() {
    std::mt19937_64 random(seed());
    for (std::size_t number = 1; number <= kChanges; ++number) {
      Points next = states_[number - 1];
      if (random() % 3 == 0) {
        const auto start = static_cast<Timestamp>(random() % kTimes);
        const TimeRange range{start, start + static_cast<Timestamp>(random() % kTimes)};
        next.erase(next.lower_bound(range.start), next.upper_bound(range.end));
        begin(number, std::move(next));
        CHECK(database_.remove(ids_, {range.start, std::min(range.end, kLast - 1)}).ok());
      } else {
        std::string body;
        for (std::uint64_t left = 1 + random() % 6; left > 0; --left) {
          const auto ts = static_cast<Timestamp>(random() % kTimes);
          next[ts] = static_cast<double>(number);
          body += line("m", ts, static_cast<double>(number));
        }
        begin(number, std::move(next));
        CHECK(database_.ingest(body).ok());
      }
      done_.store(number);
      if (random() % 40 == 0) CHECK(database_.flush().ok());
    }
    isOver_.store(true);
  }
  bool isOver() const { return isOver_.load(); }

  // Reads once. True if the answer was right at some moment during the read.
  template <typename Answer>
  bool isOfOneMoment(const std::function<Answer()>& read,
                     const std::function<Answer(const Points&)>& expect) const {
    const std::size_t from = done_.load();
    const Answer answer = read();
    const std::size_t to = begun_.load();
    for (std::size_t at = from; at <= to; ++at) {
      if (expect(states_[at]) == answer) return true;
    }
    return false;
  }

 private:
  static constexpr std::size_t kChanges = 4000;
  static constexpr int kOthers = 150;

  void begin(std::size_t number, Points next) {
    states_[number] = std::move(next);
    begun_.store(number);
  }

  Database database_;
  std::vector<SeriesId> ids_;
  std::vector<Points> states_;
  std::atomic<std::size_t> begun_{0};
  std::atomic<std::size_t> done_{0};
  std::atomic<bool> isOver_{false};
};

}  // namespace

TEST("every answer is the state of a series at one moment, beside deletions and flushes") {
  Course history;
  Database& database = history.database();
  const SeriesRef ref = refOf(database, "m");
  const auto all = [](const Points& points) { return points; };
  const auto readAlways = [&](const std::vector<std::function<Points()>>& reads) {
    while (!history.isOver()) {
      for (const auto& read : reads) EXPECT(history.isOfOneMoment<Points>(read, all));
    }
  };
  std::thread pieces([&] {
    readAlways(
        {[&] { return columnsOf(database, ref); }, [&] { return rowsOf(database, ref, false); },
         [&] { return rowsOf(database, ref, true); }, [&] { return bucketsOf(database, ref); }});
  });
  std::thread merges([&] { readAlways({[&] { return database.read("m").value(); }}); });
  std::thread counts([&] {
    while (!history.isOver()) {
      const bool isRight = history.isOfOneMoment<std::int64_t>(
          [&] {
            return run(database, planOf(ref, {AggregateKind::kCount})).columns[0].integers[0];
          },
          [](const Points& points) { return static_cast<std::int64_t>(points.size()); });
      EXPECT(isRight);
      const auto view = database.engine().pinView(kAllTime).value();
      const auto bounds = liveBounds(*view, ref);
      EXPECT(bounds && bounds->start == kFirst && bounds->end == kLast);
    }
  });
  history.write();
  pieces.join();
  merges.join();
  counts.join();
}

TEST("captured samples can be read after they are deleted") {
  Database database;
  REQUIRE(database.open().ok());
  REQUIRE(database.ingest(line("m", 1, 1) + line("m", 2, 1) + line("m", 50, 1)).ok());
  REQUIRE(database.flush().ok());
  REQUIRE(database.ingest(line("m", 2, 2) + line("m", 3, 2) + line("n", 60, 2)).ok());
  const SeriesRef ref = refOf(database, "m");
  const ReadPlan plan = planOf(ref, {}).read;
  QueryControl control;
  SeriesReader reader(database.engine().pinView(kAllTime).value(), plan, control);
  const std::vector<Stretch>& stretches = reader.open(0, kAllTime);
  const auto pinned = database.engine().index();
  const SeriesIndex& index = *pinned;
  REQUIRE(database.remove({index.idOf(ref)}, kAllTime).ok());
  Points points;
  for (const Stretch& stretch : stretches) {
    const Status read =
        reader.read(stretch, ValueFilter::Verdict::kAll, [&](const SampleBlock& block) {
          for (std::size_t i = 0; i < block.size(); ++i) points[block.ts[i]] = block.values[i];
        });
    REQUIRE(read.ok());
  }
  EXPECT(points == (Points{{1, 1}, {2, 2}, {3, 2}, {50, 1}}));
}

TEST("a row too long to copy loses samples deleted during the read, and shows no older ones") {
  constexpr int kCount = 20'000;
  Database database;
  REQUIRE(database.open().ok());
  REQUIRE(database.ingest(lines("m", kCount)).ok());
  REQUIRE(database.flush().ok());
  std::string body;
  for (Timestamp ts = 0; ts < kCount; ++ts) body += line("m", ts, -1);
  REQUIRE(database.ingest(body).ok());
  const SeriesRef ref = refOf(database, "m");
  MergeCursor cursor(database.engine().pinView(kAllTime).value(), ref, kAllTime);
  std::vector<Timestamp> ts;
  std::vector<double> values;
  REQUIRE(cursor.next(10, ts, values).ok());
  const auto pinned = database.engine().index();
  const SeriesIndex& index = *pinned;
  REQUIRE(database.remove({index.idOf(ref)}, {15'000, 16'999}).ok());
  REQUIRE(cursor.next(kCount, ts, values).ok());
  EXPECT(ts.size() == kCount - 2000);
  const auto isDeleted = [](Timestamp at) { return at >= 15'000 && at < 17'000; };
  EXPECT(std::none_of(ts.begin(), ts.end(), isDeleted));
  EXPECT(std::all_of(values.begin(), values.end(), [](double value) { return value == -1; }));
}

TEST("a capture reports an erasure that happened before it held the strip") {
  Database database;
  REQUIRE(database.open().ok());
  REQUIRE(database.ingest(line("m", 1, 1)).ok());
  const SeriesRef ref = refOf(database, "m");
  const auto view = database.engine().pinView(kAllTime).value();
  SeriesChunks chunks;
  SeriesSources sources;
  findChunks(*view, {&ref, 1}, kAllTime, chunks);
  sources.capture(*view, chunks, kAllTime);
  REQUIRE(sources.parts().size() == 1);
  const auto pinned = database.engine().index();
  const SeriesIndex& index = *pinned;
  REQUIRE(database.remove({index.idOf(ref)}, kAllTime).ok());
  EXPECT(!sources.holdStrip());
  sources.captureHeld(*view, chunks, kAllTime);
  EXPECT(sources.parts().empty());
}
