// max_query_samples counts what was decoded and lies in the range, to the last sample.

#include <string>

#include "engine/engine_fixture.h"
#include "harness.h"
#include "query/aggregate_query.h"
#include "query/row_query.h"

namespace seriesdb {
namespace {

StatusCode codeOf(test::Database& database, const AggregatePlan& plan) {
  const auto view = database.engine().pinView(test::kAllTime);
  auto query = AggregateQuery::make(view.value(), database.engine().index(), plan);
  ResultTable table;
  return query.value()->run([](const auto&) { return false; }, 2, table).code();
}

TEST("samples outside the range are not counted, in memory or in a chunk") {
  test::Database database;
  REQUIRE(database.open().ok());
  std::string text;
  for (int i = 0; i < 100; ++i) text += test::line("m", i, i);
  REQUIRE(database.ingest(text).ok());
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
TEST("samples that an offset skips part by part are counted once") {
  test::Database database;
  REQUIRE(database.open().ok());
  std::string text;
  for (int i = 0; i < 100; ++i) text += test::line("m", i, i);
  REQUIRE(database.ingest(text).ok());
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
    ColumnBatch batch;
    const Status read = rows.value()->next(batch);
    EXPECT(read.ok() == (samplesMax == 100));
    EXPECT(!read.ok() || batch.ts.size() == 90);
  }
}

}  // namespace seriesdb
