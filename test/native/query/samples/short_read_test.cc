// Queries that run at once on the thread that serves all requests, and queries that do not; and the
// sort of a few ordered runs.
#include <numeric>
#include <random>

#include "query/aggregate_query.h"
#include "query/answers/range_reader.h"
#include "query/rows/row_query.h"
#include "query/samples/merge_runs.h"
#include "query/samples/read_cost.h"
#include "storage/engine/engine_fixture.h"
#include "storage/view/file_spans.h"
#include "storage/view/memory_segment.h"
#include "storage/view/merge_cursor.h"

using namespace seriesdb;

namespace {

constexpr int kSampleCount = 9000;

// One series, a sample every 10 units.
std::string lines() {
  std::string text;
  for (int i = 0; i < kSampleCount; ++i) {
    text += "{\"metric\":\"m\",\"ts\":" + std::to_string(i * 10) + ",\"value\":1}\n";
  }
  return text;
}

}  // namespace

TEST("a query is short if it decodes few samples for few cells") {
  test::Database database;
  REQUIRE(database.open().ok());
  REQUIRE(database.ingest(lines()).ok());
  for (const bool isFlushed : {false, true}) {
    if (isFlushed) REQUIRE(database.flush().ok());
    const SeriesRef ref = *database.index()->find("m|{}");
    const auto view = database.engine().pinView(test::kAllTime);
    const auto isShortGroup = [&](TimeRange range, std::int64_t width) {
      AggregatePlan plan;
      plan.read.refs = {ref};
      plan.read.ranges = {range};
      plan.bucket = {width, 0};
      plan.keys = {{KeyKind::kBucket, ""}};
      plan.aggregates = {{AggregateKind::kMax, 0}};
      auto query = AggregateQuery::make(database.engine(), database.engine().index(), plan);
      return query.value()->isShort();
    };
    EXPECT(isShortGroup(test::kAllTime, 1000));
    EXPECT(isShortGroup(test::kAllTime, 30));
    EXPECT(!isShortGroup(test::kAllTime, 10));
    EXPECT(isShortGroup({0, 10'000}, 10));
    const auto isShortRead = [&](TimeRange range) {
      ReadPlan plan;
      plan.refs = {ref};
      plan.ranges = {range};
      return RowQuery::make(view.value(), plan, {}).value()->isShort();
    };
    EXPECT(!isShortRead(test::kAllTime));
    EXPECT(isFlushed == isShortRead({0, 10'000}));
  }
}

TEST("a query for the newest buckets starts with a short window and reports if more is left") {
  test::Database database;
  REQUIRE(database.open().ok());
  REQUIRE(database.ingest(lines()).ok());
  REQUIRE(database.flush().ok());
  const auto queryTo = [&](Timestamp end, std::int64_t bucketsMax) {
    AggregatePlan plan;
    plan.read.refs = {*database.index()->find("m|{}")};
    plan.read.ranges = {{INT64_MIN, end}};
    plan.bucket = {10, 0};
    plan.bucketsMax = bucketsMax;
    plan.keys = {{KeyKind::kBucket, ""}};
    plan.aggregates = {{AggregateKind::kMax, 0}};
    auto query = AggregateQuery::make(database.engine(), database.engine().index(), plan);
    return std::move(query).value();
  };
  for (const std::int64_t bucketsMax : {5, -5}) {
    const auto query = queryTo(INT64_MAX, bucketsMax);
    EXPECT(!query->isShort());
    EXPECT(query->beginShort());
    ResultTable table;
    REQUIRE(query->run({}, table).ok());
    EXPECT(!query->isLeft() && table.rowCount == 5);
  }
  EXPECT(!queryTo(INT64_MAX, 0)->beginShort());
  EXPECT(!queryTo(INT64_MAX, kSampleCount)->beginShort());
  // After a long gap without samples, the first window has one bucket.
  REQUIRE(database.ingest("{\"metric\":\"m\",\"ts\":5000000,\"value\":1}\n").ok());
  const auto begun = queryTo(INT64_MAX, 5);
  EXPECT(begun->beginShort());
  ResultTable none;
  REQUIRE(begun->run({}, none).ok());
  EXPECT(begun->isLeft() && none.columns.empty());
  ResultTable all;
  const auto whole = queryTo(INT64_MAX, 5);
  REQUIRE(whole->run({}, all).ok());
  EXPECT(!whole->isLeft() && all.rowCount == 5);
}

TEST("a read of bytes outside memory, of many segments or of many ranges is not short") {
  constexpr SeriesRef kRef = 3;
  struct Case {
    std::size_t segments;
    std::size_t coldAt;
    bool isShort;
  };
  // The most file spans that are checked for residency.
  constexpr std::size_t kMost = FileSpans::kSpansMax;
  constexpr std::size_t kNone = 1000;
  for (const Case& one :
       {Case{1, kNone, true}, Case{1, 0, false}, Case{kMost, kNone, true},
        Case{kMost, kMost - 1, false}, Case{kMost + 1, kNone, false}, Case{300, kNone, false}}) {
    std::uint64_t asked = 0;
    std::vector<std::shared_ptr<const Segment>> all;
    for (std::size_t i = 0; i < one.segments; ++i) {
      const Timestamp ts[] = {static_cast<Timestamp>(i)};
      const double values[] = {1};
      auto segment = std::make_shared<test::MemorySegment>(kRef, ts, values, asked);
      if (i == one.coldAt) segment->leaveMemory();
      all.push_back(std::move(segment));
    }
    auto made = std::make_shared<View>();
    made->active = std::make_shared<Memtable>();
    made->segments = std::move(all);
    const PinnedView view(made);
    EXPECT(RangeReader(MergeCursor(view, kRef, test::kAllTime)).isShort() == one.isShort);
    ReadPlan plan;
    plan.refs = {kRef};
    plan.ranges = {test::kAllTime};
    EXPECT(RowQuery::make(view, plan, {}).value()->isShort() == one.isShort);
    const auto costOf = [&] { return shortCostOf(*view, plan.refs, plan.ranges, plan.hull()); };
    EXPECT(costOf().has_value() == one.isShort);
    plan.ranges = {{0, 0}};
    EXPECT(costOf().has_value() == (one.coldAt != 0));
    asked = 0;
    plan.ranges.assign(5000, {-1, -1});
    EXPECT(!costOf());
    EXPECT(asked < 20'000);
  }
}

TEST("a read that is too long for a short one is known by its first series") {
  constexpr std::uint32_t kSeries = 30;
  std::uint64_t asked = 0;
  const auto isShort = [&asked](std::size_t samples) {
    auto made = std::make_shared<View>();
    made->active = std::make_shared<Memtable>();
    std::vector<std::shared_ptr<const Segment>> all;
    std::vector<SeriesRef> refs;
    std::vector<Timestamp> ts(samples);
    std::iota(ts.begin(), ts.end(), 0);
    const std::vector<double> values(samples, 1.0);
    for (SeriesRef ref = 0; ref < kSeries; ++ref) {
      all.push_back(std::make_shared<test::MemorySegment>(ref, ts, values, asked));
      refs.push_back(ref);
    }
    made->segments = std::move(all);
    asked = 0;
    return shortCostOf(*made, refs, {&test::kAllTime, 1}, test::kAllTime).has_value();
  };
  EXPECT(isShort(300));
  EXPECT(asked >= std::uint64_t{kSeries} * kSeries);
  EXPECT(!isShort(12'000));
  EXPECT(asked < std::uint64_t{kSeries} * kSeries / 2);
}

TEST("query statistics need no disk read and count only chunks of the requested ranges") {
  constexpr SeriesRef kRef = 3;
  constexpr std::size_t kSegments = 8;
  std::uint64_t asked = 0;
  std::vector<std::shared_ptr<test::MemorySegment>> segments;
  auto made = std::make_shared<View>();
  made->active = std::make_shared<Memtable>();
  std::vector<std::shared_ptr<const Segment>> all;
  for (std::size_t i = 0; i < kSegments; ++i) {
    const Timestamp ts[] = {static_cast<Timestamp>(i)};
    const double values[] = {1};
    segments.push_back(std::make_shared<test::MemorySegment>(kRef, ts, values, asked));
    all.push_back(segments.back());
  }
  made->segments = std::move(all);
  const PinnedView view(made);
  ReadPlan plan;
  plan.refs = {kRef};
  plan.ranges = {{1, 1}, {4, 4}};
  auto query = RowQuery::make(view, plan, {}).value();
  EXPECT(query->isShort());
  REQUIRE(query->read({}).ok() && query->rows().left().size() == 2);
  asked = 0;
  const QueryStats stats = query->stats();
  EXPECT(asked == 0);
  EXPECT(stats.chunksScanned == 2 && stats.chunksSkipped == 2);
  // Its chunk lies between the ranges: it is counted but not read.
  segments[2]->leaveDirectory();
  EXPECT(!RowQuery::make(view, plan, {}).value()->isShort());
  segments[6]->leaveDirectory();
  plan.ranges = {{3, 4}};
  EXPECT(RowQuery::make(view, plan, {}).value()->isShort());
}

TEST("runs are merged in the order of a stable sort") {
  std::mt19937_64 random(test::seed());
  for (int round = 0; round < 300; ++round) {
    std::vector<std::pair<int, int>> items;
    const std::size_t runSize = 1 + random() % 60;
    const std::size_t size = random() % 2000;
    for (std::size_t i = 0; i < size; ++i) {
      const int last = i % runSize == 0 ? 0 : items.back().first;
      items.emplace_back(last + static_cast<int>(random() % 3), static_cast<int>(i));
    }
    auto expected = items;
    const auto before = [](const auto& a, const auto& b) { return a.first < b.first; };
    std::stable_sort(expected.begin(), expected.end(), before);
    sortRuns(items, before);
    EXPECT(items == expected);
  }
}
