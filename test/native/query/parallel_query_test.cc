// Grouped queries on several threads against one thread: enough series for several parts.
#include <algorithm>
#include <bit>
#include <cmath>
#include <functional>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "query/aggregate_query.h"
#include "storage/engine/engine_fixture.h"

using namespace seriesdb;

namespace {

using Op = ExpressionOp;
using Kind = AggregateKind;

constexpr std::uint32_t kSeriesCount = 90;

struct Answer {
  ResultTable table;
  QueryStats stats;
  std::size_t threads = 0;
};

Answer answerOf(test::Database& database, const AggregatePlan& plan, std::size_t threadCount) {
  auto query = AggregateQuery::make(database.engine(), database.engine().index(), plan);
  CHECK(query.ok());
  std::vector<std::thread> threads;
  const auto post = [&threads](std::function<void()> task) {
    threads.emplace_back(std::move(task));
    return true;
  };
  Answer answer;
  CHECK(query.value()->run({post, threadCount}, answer.table).ok());
  for (std::thread& thread : threads) thread.join();
  answer.stats = query.value()->stats();
  answer.threads = threads.size() + 1;
  return answer;
}

class World {
 public:
  explicit World(std::uint64_t seed) : random_(seed) {
    CHECK(database_.open().ok());
    for (int batch = 0; batch < 3; ++batch) {
      CHECK(database_.ingest(lines()).ok());
      if (random_() % 2 == 0) CHECK(database_.flush().ok());
    }
  }

  AggregatePlan randomPlan();
  test::Database& database() { return database_; }

 private:
  std::string lines() {
    std::string text;
    for (int i = 0; i < 4000; ++i) {
      const std::uint64_t s = random_() % kSeriesCount;
      text += "{\"metric\":\"m\",\"labels\":{\"host\":\"h" + std::to_string(s % 5) + "\",\"n\":\"" +
              std::to_string(s) + "\"},\"ts\":" + std::to_string(random_() % 900) +
              ",\"value\":" + std::to_string(random_() % 400) + ".25}\n";
    }
    return text;
  }

  std::mt19937_64 random_;
  test::Database database_;
};

// Registers: the value; the value above 100; its whole part and the time; the same above 100; a
// number of each series.
ExpressionText argumentsOf(std::size_t seriesCount) {
  ExpressionText text;
  text.floats = {100, std::nan("")};
  text.steps = {{Op::kValue},
                {Op::kFloat, 0},
                {Op::kFloat, 1},
                {Op::kCompare, 0, 1, static_cast<std::uint32_t>(ExpressionComparison::kGreater)},
                {Op::kSelect, 3, 0, 2},
                {Op::kTime},
                {Op::kToInteger, 0},
                {Op::kAdd, 5, 6},
                {Op::kNull},
                {Op::kSelect, 3, 7, 8},
                {Op::kColumn, 0}};
  text.outputs = {0, 4, 7, 9, 10};
  SeriesColumn& column = text.columns.emplace_back();
  column.type = RegisterType::kInteger;
  for (std::size_t i = 0; i < seriesCount; ++i) {
    column.integers.push_back(static_cast<std::int64_t>(i) - 40);
    column.nulls.push_back(i % 7 == 0 ? 1 : 0);
  }
  return text;
}

// Keys: whether the value exceeds 100; the value in tens; a number of each series.
ExpressionText keysOf(std::size_t seriesCount) {
  ExpressionText text = argumentsOf(seriesCount);
  text.floats.push_back(10);
  text.steps.push_back({Op::kFloat, 2});
  text.steps.push_back({Op::kDivide, 0, 11});
  text.steps.push_back({Op::kFloor, 12});
  text.outputs = {3, 13, 10};
  return text;
}

AggregatePlan World::randomPlan() {
  AggregatePlan plan;
  for (SeriesRef ref = 0; ref < database_.index()->createdCount(); ++ref) {
    plan.read.refs.push_back(ref);
    plan.read.places.push_back(ref);
    plan.isCounter.push_back(ref % 2 == 0);
  }
  plan.read.ranges = {test::kAllTime};
  if (random_() % 2 == 0) {
    plan.bucket = {1 + static_cast<std::int64_t>(random_() % 200), 3};
    plan.keys.push_back({KeyKind::kBucket, ""});
    if (random_() % 3 == 0) plan.bucketsMax = static_cast<std::int64_t>(random_() % 9) - 4;
  }
  if (plan.bucketsMax == 0 && random_() % 2 == 0) plan.keys.push_back({KeyKind::kLabel, "host"});
  if (!plan.bucket && random_() % 2 == 0) {
    plan.keyValues = Expression::make(keysOf(plan.read.refs.size()), plan.read.refs.size()).value();
    for (std::uint32_t i = 0; i < 3; ++i) plan.keys.push_back({KeyKind::kExpression, "", i});
  }
  plan.arguments =
      Expression::make(argumentsOf(plan.read.refs.size()), plan.read.refs.size()).value();
  for (std::uint32_t kind = 0; kind <= static_cast<std::uint32_t>(Kind::kCountDistinct); ++kind) {
    for (const std::uint32_t argument : {0u, 1u, 2u, 3u, 4u, AggregateColumn::kValue}) {
      const AggregateColumn column{static_cast<Kind>(kind), 0.3, argument};
      const bool isLeftOut = random_() % 3 == 0;
      plan.aggregates.push_back(column);
      if (isLeftOut || !ArgumentStreams::check(plan).ok()) plan.aggregates.pop_back();
    }
  }
  return plan;
}

bool isNear(double a, double b) {
  if (std::isnan(a) || std::isnan(b)) return std::isnan(a) && std::isnan(b);
  return std::fabs(a - b) <= 1e-9 * std::max(1.0, std::fabs(b));
}

bool isSame(const ResultColumn& a, const ResultColumn& b) {
  return a.kind == b.kind && a.integers == b.integers && a.nulls == b.nulls && a.codes == b.codes &&
         a.booleans == b.booleans &&
         std::equal(a.doubles.begin(), a.doubles.end(), b.doubles.begin(), b.doubles.end(), isNear);
}

}  // namespace

TEST("a grouped query gives the same result on any number of threads") {
  for (std::uint64_t round = 0; round < test::rounds(6U); ++round) {
    World world(test::seed() + round);
    for (int i = 0; i < 6; ++i) {
      const AggregatePlan plan = world.randomPlan();
      const ResultTable alone = answerOf(world.database(), plan, 1).table;
      REQUIRE(alone.rowCount > 0);
      for (const std::size_t threadCount : {2, 5}) {
        const ResultTable together = answerOf(world.database(), plan, threadCount).table;
        REQUIRE(together.rowCount == alone.rowCount);
        for (std::size_t at = 0; at < alone.columns.size(); ++at) {
          EXPECT(isSame(together.columns[at], alone.columns[at]));
        }
      }
    }
  }
}

namespace {

// Few series with enough samples for several threads: in segments, with deletions, a repeated time,
// and the last samples in memory.
class LongWorld {
 public:
  static constexpr std::int64_t kSamples = 320'000;

  explicit LongWorld(std::uint64_t seed) : random_(seed) {
    CHECK(database_.open().ok());
    for (std::int64_t from = 0; from < kSamples; from += kSamples / 2) {
      std::string text;
      for (std::int64_t i = from; i < from + kSamples / 2; ++i) {
        const auto value = static_cast<double>(random_() % 4000) / 16;
        text += test::line(i % 3 == 0 ? "a" : "b", 7 * i, value);
      }
      CHECK(database_.ingest(text).ok());
      CHECK(database_.flush().ok());
    }
    const auto middle = static_cast<Timestamp>(random_() % (7 * kSamples));
    CHECK(database_.remove({0, 1}, {middle, middle + 5000}).ok());
    CHECK(database_.ingest(test::line("a", 21, 3) + test::line("b", 7 * kSamples, 4)).ok());
  }

  AggregatePlan randomPlan();
  test::Database& database() { return database_; }

 private:
  std::mt19937_64 random_;
  test::Database database_;
};

AggregatePlan LongWorld::randomPlan() {
  AggregatePlan plan;
  plan.read.refs = {0, 1};
  plan.isCounter = {true, false};
  plan.read.ranges = {test::kAllTime};
  plan.read.ranges[0].start = static_cast<Timestamp>(random_() % kSamples);
  plan.bucket = {1'000 + static_cast<std::int64_t>(random_() % (3 * kSamples)), 3};
  if (random_() % 4 == 0) plan.bucket->months = 1;
  plan.keys.push_back({KeyKind::kBucket, ""});
  if (random_() % 2 == 0) plan.keys.push_back({KeyKind::kMetric, ""});
  if (plan.keys.size() == 1 && random_() % 3 == 0) plan.bucketsMax = 40;
  for (std::uint32_t kind = 0; kind <= static_cast<std::uint32_t>(Kind::kCountDistinct); ++kind) {
    plan.aggregates.push_back({static_cast<Kind>(kind), 0.3});
    if (!plan.check().ok()) plan.aggregates.pop_back();
  }
  return plan;
}

bool isSameBits(const ResultColumn& a, const ResultColumn& b) {
  const auto bits = [](const std::vector<double>& values) {
    std::vector<std::uint64_t> all;
    for (const double value : values) all.push_back(std::bit_cast<std::uint64_t>(value));
    return all;
  };
  return isSame(a, b) && bits(a.doubles) == bits(b.doubles);
}

}  // namespace

TEST("bucketed queries of few series give the same bits on any number of threads") {
  std::size_t threadsMost = 1;
  LongWorld world(test::seed());
  for (int i = 0; i < 6; ++i) {
    const AggregatePlan plan = world.randomPlan();
    const Answer alone = answerOf(world.database(), plan, 1);
    REQUIRE(alone.table.rowCount > 0 && alone.threads == 1);
    for (const std::size_t threadCount : {2, 9}) {
      const Answer together = answerOf(world.database(), plan, threadCount);
      threadsMost = std::max(threadsMost, together.threads);
      EXPECT(together.threads <= threadCount);
      EXPECT(together.stats.seriesScanned == alone.stats.seriesScanned);
      EXPECT(together.stats.rowsScanned >= alone.stats.rowsScanned);
      REQUIRE(together.table.rowCount == alone.table.rowCount);
      for (std::size_t at = 0; at < alone.table.columns.size(); ++at) {
        EXPECT(isSameBits(together.table.columns[at], alone.table.columns[at]));
      }
    }
  }
  EXPECT(threadsMost >= 2);
}
