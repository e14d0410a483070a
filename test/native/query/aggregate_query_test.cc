// Grouped queries against plain folds over maps, and the queries that are refused.
#include "query/aggregate_query.h"

#include <array>
#include <cmath>
#include <random>

#include "query/aggregate_world.h"

using namespace seriesdb;

TEST("a grouped query gives the results of plain folds") {
  for (std::uint64_t round = 0; round < test::rounds(25U); ++round) {
    const std::uint64_t staleShare = std::array{0, 0, 7, 300}[round % 4];
    test::AggregateWorld world(test::seed() + round, {staleShare, 0});
    for (int i = 0; i < 25; ++i) world.check(world.randomPlan(), 1 + world.random() % 3);
  }
}

TEST("a limit to the latest or earliest buckets gives those buckets of the whole answer") {
  for (std::uint64_t round = 0; round < test::rounds(10U); ++round) {
    test::AggregateWorld world(test::seed() + 500 + round);
    for (int i = 0; i < 10; ++i) world.checkNewest();
  }
}

TEST("an invalid aggregate plan is refused") {
  test::Database database;
  REQUIRE(database.open().ok());
  const auto refused = [&database](const AggregatePlan& plan) {
    const auto made = AggregateQuery::make(database.engine(), database.engine().index(), plan);
    return made.status().code() == StatusCode::kInvalidArgument;
  };
  AggregatePlan plan;
  EXPECT(!refused(plan));
  plan.bucket = {10, 0};
  EXPECT(refused(plan));
  plan.keys = {{KeyKind::kBucket, ""}};
  EXPECT(!refused(plan));
  plan.bucket->width = 0;
  EXPECT(refused(plan));
  plan.bucket->width = 1;
  plan.order = {1};
  EXPECT(refused(plan));
  plan.order = {0};
  plan.aggregates = {{AggregateKind::kPercentile, 1.5}};
  EXPECT(refused(plan));
  plan.aggregates[0].quantile = std::nan("");
  EXPECT(refused(plan));
  plan.aggregates.clear();
  plan.read.ranges = {{5, 4}};
  EXPECT(refused(plan));
  plan.read.ranges = {{1, 4}, {4, 9}};
  EXPECT(refused(plan));
  plan.read.ranges = {{1, 4}, {5, 9}};
  EXPECT(!refused(plan));
  plan.isCounter = {true};
  EXPECT(refused(plan));
}

TEST("limits, deadlines and cancellation end a query") {
  test::Database database;
  REQUIRE(database.open().ok());
  REQUIRE(database.ingest(test::lines("m", 100)).ok());
  AggregatePlan plan;
  plan.read.refs = {0};
  plan.isCounter = {false};
  plan.read.ranges = {test::kAllTime};
  plan.bucket = {10, 0};
  plan.keys = {{KeyKind::kBucket, ""}};
  plan.aggregates = {{AggregateKind::kSum, 0}};
  const auto codeOf = [&database](const AggregatePlan& one, bool isCancelled) {
    auto query = AggregateQuery::make(database.engine(), database.engine().index(), one);
    if (isCancelled) query.value()->cancel();
    ResultTable table;
    return query.value()->run({[](const auto&) { return false; }, 2}, table).code();
  };
  EXPECT(codeOf(plan, false) == StatusCode::kOk);
  EXPECT(codeOf(plan, true) == StatusCode::kClosed);
  plan.read.limits.rowsMax = 10;
  EXPECT(codeOf(plan, false) == StatusCode::kOk);
  plan.read.limits.rowsMax = 9;
  EXPECT(codeOf(plan, false) == StatusCode::kQueryLimit);
  plan.read.limits = {};
  plan.read.limits.samplesMax = 100;
  EXPECT(codeOf(plan, false) == StatusCode::kOk);
  plan.read.limits.samplesMax = 99;
  EXPECT(codeOf(plan, false) == StatusCode::kQueryLimit);
  // Only the first bucket has such values, so the search for the latest one reads all time.
  plan.bucketsMax = 1;
  plan.read.filter = ValueFilter::make({{FilterStep::kLess, 5}}).value();
  EXPECT(codeOf(plan, false) == StatusCode::kQueryLimit);
  plan.read.limits.samplesMax = 100;
  EXPECT(codeOf(plan, false) == StatusCode::kOk);
  plan.read.limits = {};
  plan.read.limits.deadlineNanos = 1;
  EXPECT(codeOf(plan, false) == StatusCode::kQueryTimeout);
}

TEST("filtered and bucketed sums are the same before and after a flush") {
  test::Database database;
  REQUIRE(database.open().ok());
  std::mt19937_64 random(test::seed());
  std::string body;
  // One extreme value sets the reach of its chunk.
  for (int i = 0; i < 4000; ++i) {
    body += test::line("m", i, i == 77 ? 1e36 : static_cast<double>(random() % 20'000) / 1000);
  }
  REQUIRE(database.ingest(body).ok());
  AggregatePlan plan;
  plan.read.refs = {0};
  plan.isCounter = {false};
  plan.read.ranges = {test::kAllTime};
  plan.read.filter = ValueFilter::make({{FilterStep::kLess, 1e30}}).value();
  plan.bucket = {40, 0};
  plan.keys = {{KeyKind::kBucket, ""}};
  plan.aggregates = {{AggregateKind::kSum, 0}};
  const auto sums = [&] {
    ResultTable table;
    auto query = AggregateQuery::make(database.engine(), database.engine().index(), plan);
    CHECK(query.value()->run({}, table).ok());
    return std::vector<double>(table.columns[1].doubles.begin(), table.columns[1].doubles.end());
  };
  const auto before = sums();
  plan.aggregates.push_back({AggregateKind::kMax, 0});
  REQUIRE(database.flush().ok());
  EXPECT(sums() == before);
  plan.aggregates.pop_back();
  EXPECT(sums() == before);
}
