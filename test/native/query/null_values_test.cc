// Non-numeric values are null: grouped queries leave them out, and no condition on them is true.
#include <cmath>

#include "query/aggregate_world.h"
#include "query/rows/row_query.h"

using namespace seriesdb;
using namespace seriesdb::test;

namespace {

using Step = ValueFilter::Step;

AggregatePlan planOf(std::vector<AggregateColumn> aggregates) {
  AggregatePlan plan;
  plan.read.refs = {0};
  plan.read.ranges = {kAllTime};
  plan.aggregates = std::move(aggregates);
  return plan;
}

ResultTable answer(Database& database, const AggregatePlan& plan) {
  auto query = AggregateQuery::make(database.engine(), database.engine().index(), plan);
  CHECK(query.ok());
  ResultTable table;
  CHECK(query.value()->run({}, table).ok());
  return table;
}

std::int64_t rowsThat(Database& database, std::vector<Step> steps) {
  AggregatePlan plan = planOf({{AggregateKind::kRows}});
  plan.read.filter = ValueFilter::make(std::move(steps)).value();
  const ResultTable table = answer(database, plan);
  return table.rowCount == 0 ? 0 : table.columns[0].integers[0];
}

std::string nulls(Timestamp from, Timestamp to) {
  std::string text;
  for (Timestamp ts = from; ts < to; ++ts) {
    text += line("m", ts, kAsNull[static_cast<std::size_t>(ts) % kAsNull.size()].written);
  }
  return text;
}

}  // namespace

LONE_TEST("a grouped query leaves out nulls, for any share of nulls") {
  for (std::uint64_t round = 0; round < rounds(24U); ++round) {
    const std::uint64_t nullShare = std::array{1, 2, 7, 300}[round % 4];
    const std::uint64_t staleShare = std::array{0, 5}[round / 4 % 2];
    AggregateWorld world(seed() + 900 + round, {staleShare, nullShare});
    for (int i = 0; i < 25; ++i) world.check(world.randomPlan(), 1 + world.random() % 3);
    world.checkNewest();
  }
}

TEST("a group of nulls counts rows but no values") {
  Database database;
  REQUIRE(database.open().ok());
  REQUIRE(database.ingest(nulls(0, 4)).ok());
  for (int round = 0; round < 2; ++round) {
    const ResultTable table = answer(database, planOf({{AggregateKind::kRows},
                                                       {AggregateKind::kCount},
                                                       {AggregateKind::kCountDistinct},
                                                       {AggregateKind::kSum},
                                                       {AggregateKind::kMinTime}}));
    REQUIRE(table.rowCount == 1);
    EXPECT(table.columns[0].integers[0] == 4);
    EXPECT(table.columns[1].integers[0] == 0 && table.columns[1].nulls.empty());
    EXPECT(table.columns[2].integers[0] == 0);
    EXPECT(std::isnan(table.columns[3].doubles[0]));
    EXPECT(table.columns[4].nulls == std::vector<std::uint8_t>{1});
    REQUIRE(database.flush().ok());
  }
}

TEST("a comparison with null is not true, and neither is its negation") {
  Database database;
  REQUIRE(database.open().ok());
  REQUIRE(database.ingest(nulls(0, 8) + line("m", 9, 5) + line("m", 10, 7)).ok());
  for (int round = 0; round < 3; ++round) {
    EXPECT(rowsThat(database, {}) == 10);
    EXPECT(rowsThat(database, {{FilterStep::kNotEqual, 5}}) == 1);
    EXPECT(rowsThat(database, {{FilterStep::kGreater, -1e308}}) == 2);
    EXPECT(rowsThat(database, {{FilterStep::kGreater, 6}, {FilterStep::kNot, 0}}) == 1);
    EXPECT(rowsThat(database, {{FilterStep::kLess, 6},
                               {FilterStep::kLess, 6},
                               {FilterStep::kNot, 0},
                               {FilterStep::kOr, 0}}) == 2);
    if (round == 0) REQUIRE(database.flush().ok());
    // Values of two sources are merged.
    if (round == 1) REQUIRE(database.ingest(nulls(3, 4) + line("m", 9, 5)).ok());
  }
}

TEST("the first and last value are found past any number of nulls") {
  Database database;
  REQUIRE(database.open().ok());
  REQUIRE(database
              .ingest(nulls(0, 20'000) + line("m", 20'000, 1) + line("m", 20'001, 2) +
                      nulls(20'002, 40'000))
              .ok());
  const std::vector<AggregateColumn> ends[] = {{{AggregateKind::kFirst}},
                                               {{AggregateKind::kLast}},
                                               {{AggregateKind::kFirst}, {AggregateKind::kLast}}};
  for (int round = 0; round < 2; ++round) {
    EXPECT(answer(database, planOf(ends[0])).columns[0].doubles[0] == 1);
    EXPECT(answer(database, planOf(ends[1])).columns[0].doubles[0] == 2);
    const ResultTable both = answer(database, planOf(ends[2]));
    EXPECT(both.columns[0].doubles[0] == 1 && both.columns[1].doubles[0] == 2);
    REQUIRE(database.flush().ok());
  }
}

TEST("rows, ranges and comparisons show null for values that are not numbers") {
  Database database;
  REQUIRE(database.open().ok());
  REQUIRE(database.ingest(nulls(0, 4) + line("m", 4, 5)).ok());
  EXPECT(database.readText("m", {3, 4}).value() == R"([{"ts":3,"value":null},{"ts":4,"value":5}])");
  ReadPlan plan;
  plan.refs = {0};
  plan.ranges = {kAllTime};
  auto rows = RowQuery::make(database.engine().pinView(kAllTime).value(), plan, {});
  REQUIRE(rows.value()->read({}).ok());
  const auto read = rows.value()->rows().left();
  REQUIRE(read.size() == 5 && read[4].value == 5);
  for (std::size_t i = 0; i < 4; ++i) EXPECT(std::isnan(read[i].value));
  Comparison comparison{{}, {0, 4}, {0, 3}, Aggregate::kAvg};
  comparison.selector.name = "m";
  const auto hasWindows = [&](std::string_view current, std::string_view baseline) {
    const std::string text = compareWindows(database.engine(), comparison).value();
    return text.find(current) != std::string::npos && text.find(baseline) != std::string::npos;
  };
  EXPECT(hasWindows(R"("samples":5,"value":5})", R"("samples":4,"value":null})"));
  comparison.aggregate = Aggregate::kCount;
  EXPECT(hasWindows(R"("samples":5,"value":1})", R"("samples":4,"value":0})"));
}
