// max_query_samples counts decoded samples in the range, exactly.

#include <string>

#include "harness.h"
#include "query/aggregate_query.h"
#include "query/rows/row_query.h"
#include "storage/engine/engine_fixture.h"

using namespace seriesdb;

namespace {

StatusCode codeOf(test::Database& database, const AggregatePlan& plan) {
  auto query = AggregateQuery::make(database.engine(), database.engine().index(), plan);
  ResultTable table;
  return query.value()->run({[](const auto&) { return false; }, 2}, table).code();
}

TEST("samples outside the range are not counted, in memory or in a chunk") {
  test::Database database;
  REQUIRE(database.open().ok());
  REQUIRE(database.ingest(test::lines("m", 100)).ok());
  AggregatePlan plan;
  plan.read.refs = {0};
  plan.read.ranges = {{5, 24}};
  plan.aggregates = {{AggregateKind::kSum, 0}};
  for (int source = 0; source < 2; ++source) {
    plan.read.limits.samplesMax = 20;
    EXPECT(codeOf(database, plan) == StatusCode::kOk);
    plan.read.limits.samplesMax = 19;
    EXPECT(codeOf(database, plan) == StatusCode::kQueryLimit);
    EXPECT(database.flush().ok());
  }
}

}  // namespace
TEST("a search for the latest buckets in several windows counts each sample once") {
  test::Database database;
  REQUIRE(database.open().ok());
  REQUIRE(database.ingest(test::lines("m", 100)).ok());
  AggregatePlan plan;
  plan.read.refs = {0};
  plan.read.ranges = {test::kAllTime};
  // Only the first bucket has such values.
  plan.read.filter = ValueFilter::make({{FilterStep::kLess, 5}}).value();
  plan.bucket = {10, 0};
  plan.keys = {{KeyKind::kBucket, ""}};
  plan.aggregates = {{AggregateKind::kCount, 0}, {AggregateKind::kCountDistinct, 0}};
  for (const std::int64_t bucketsMax : {1, -1, -3, 0}) {
    plan.bucketsMax = bucketsMax;
    auto query = AggregateQuery::make(database.engine(), database.engine().index(), plan);
    ResultTable table;
    REQUIRE(query.value()->run({}, table).ok());
    REQUIRE(table.rowCount == 1);
    EXPECT(table.columns[1].integers[0] == 5);
    EXPECT(table.columns[2].integers[0] == 5);
    EXPECT(query.value()->stats().rowsScanned == (bucketsMax == -1 ? 10 : 100));
    EXPECT(query.value()->stats().seriesScanned == 1);
  }
}

TEST("samples that an offset skips in parts are counted once") {
  test::Database database;
  REQUIRE(database.open().ok());
  REQUIRE(database.ingest(test::lines("m", 100)).ok());
  ReadPlan plan;
  plan.refs = {0};
  plan.ranges = {test::kAllTime};
  plan.limits.rowsMax = 95;
  RowOrder order;
  order.offset = 10;
  order.limit = 96;
  for (const std::uint64_t samplesMax : {100, 99}) {
    plan.limits.samplesMax = samplesMax;
    auto rows = RowQuery::make(database.engine().pinView(test::kAllTime).value(), plan, order);
    REQUIRE(rows.ok());
    const Status read = rows.value()->read({});
    EXPECT(read.ok() == (samplesMax == 100));
    EXPECT(!read.ok() || rows.value()->rows().left().size() == 90);
  }
}
