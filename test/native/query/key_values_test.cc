// Groups by expression keys, against plain folds over maps: many series in several parts, keys with
// few values and with as many as there are samples.
#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <random>

#include "query/aggregate_query.h"
#include "query/keys/key_tuples.h"
#include "storage/engine/engine_fixture.h"

using namespace seriesdb;

namespace {

using Op = ExpressionOp;

constexpr std::size_t kSeries = 70;
constexpr std::size_t kHosts = 5;
constexpr double kNull = INFINITY;  // A null key sorts after all values.

struct Row {
  Timestamp ts;
  SeriesId id;
  std::size_t host;
  std::size_t series;
  bool isCounter;
  double value;  // NaN for null.
};
using Rows = std::vector<Row>;
using Tuple = std::vector<double>;

// The expected registers of keyValues() for a sample.
const std::function<double(const Row&)> kKeys[] = {
    [](const Row& row) { return std::isnan(row.value) ? kNull
                                : row.value > 50      ? kTrue
                                                      : kFalse; },
    [](const Row& row) { return std::isnan(row.value) ? kNull : std::floor(row.value / 8); },
    [](const Row& row) { return row.value >= 50 ? std::sqrt(row.value - 50) : kNull; },
    [](const Row& row) { return static_cast<double>(row.ts % 7); },
    [](const Row& row) { return static_cast<double>(row.ts - row.ts % 500); },
    [](const Row& row) { return static_cast<double>(row.ts); },
    [](const Row& row) { return std::isnan(row.value) ? kNull : 0.0; },
};

constexpr std::uint32_t kRegisters[] = {5, 7, 9, 10, 11, 0, 13};
static_assert(std::size(kRegisters) == std::size(kKeys));

// The keys at these places.
Expression keyValues(const std::vector<std::size_t>& places) {
  ExpressionText text;
  text.floats = {50, 8, 0};
  text.integers = {7, 500, 0};
  const auto greater = static_cast<std::uint32_t>(ExpressionComparison::kGreater);
  text.steps = {
      {Op::kTime},         {Op::kValue},           {Op::kFloat, 0},
      {Op::kFloat, 1},     {Op::kInteger, 0},      {Op::kCompare, 1, 2, greater},
      {Op::kDivide, 1, 3}, {Op::kFloor, 6},        {Op::kSubtract, 1, 2},
      {Op::kRoot, 8},      {Op::kModulo, 0, 4},    {Op::kBucket, 0, 1, 2},
      {Op::kFloat, 2},     {Op::kMultiply, 1, 12},  // Zero, of either sign.
  };
  for (const std::size_t place : places) text.outputs.push_back(kRegisters[place]);
  return Expression::make(std::move(text), 0).value();
}

// Registers: twice the value, and the last digit of the time.
Expression arguments() {
  ExpressionText text;
  text.integers = {10};
  text.steps = {
      {Op::kTime}, {Op::kValue}, {Op::kAdd, 1, 1}, {Op::kInteger, 0}, {Op::kModulo, 0, 3}};
  text.outputs = {2, 4};
  return Expression::make(std::move(text), 0).value();
}

// Columns by series: one of three texts or null, and a boolean.
std::vector<KeyValues> keyColumns() {
  KeyValues text;
  text.isText = true;
  text.texts = {"t0", "t1", "t2"};
  KeyValues boolean;
  for (std::size_t s = 0; s < kSeries; ++s) {
    text.values.integers.push_back(static_cast<std::int64_t>(s % 4));
    text.values.nulls.push_back(s % 4 == 3 ? 1 : 0);
    boolean.values.booleans.push_back(static_cast<std::uint8_t>(s % 3));
  }
  text.values.type = RegisterType::kInteger;
  return {text, boolean};
}

double keyOf(const GroupKey& key, const std::vector<std::size_t>& places, const Row& row) {
  if (key.kind == KeyKind::kLabel) return static_cast<double>(row.host);
  if (key.kind == KeyKind::kExpression) return kKeys[places[key.place]](row);
  if (key.place == 0) return row.series % 4 == 3 ? kNull : static_cast<double>(row.series % 4);
  return row.series % 3 == kUnknown ? kNull : static_cast<double>(row.series % 3);
}

class World {
 public:
  explicit World(std::uint64_t seed) : random_(seed) {
    CHECK(database_.open().ok());
    for (int batch = 0; batch < 3; ++batch) {
      CHECK(database_.ingest(lines()).ok());
      if (random_() % 2 == 0) CHECK(database_.flush().ok());
    }
    for (std::size_t s = 0; s < kSeries; ++s) {
      const auto ref = database_.index()->find("m|" + labels(s));
      if (ref) order_.push_back({*ref, s});
    }
    std::sort(order_.begin(), order_.end());
  }

  // Returns a plan with the key values of `places`.
  AggregatePlan randomPlan(std::vector<std::size_t>& places);
  ResultTable answer(const AggregatePlan& plan, std::size_t threads);
  void check(const AggregatePlan& plan, const std::vector<std::size_t>& places,
             const ResultTable& table);
  std::uint64_t random() { return random_(); }

 private:
  static std::string labels(std::size_t s) {
    return "{\"host\":\"h" + std::to_string(s % kHosts) + "\",\"n\":\"" + std::to_string(s) + "\"}";
  }
  std::string lines() {
    std::string text;
    for (std::size_t s = 0; s < kSeries; ++s) {
      if (random_() % 5 == 0) continue;
      auto ts = static_cast<Timestamp>(random_() % 3000);
      for (std::uint64_t i = random_() % 900; i > 0; --i) {
        ts += 1 + static_cast<Timestamp>(random_() % 9);
        const bool isNull = random_() % 9 == 0;
        const double value = isNull ? test::kAsNull[random_() % test::kAsNull.size()].written
                                    : static_cast<double>(random_() % 400) / 4 - 5;
        points_[s][ts] = isNull ? NAN : value;
        text += "{\"metric\":\"m\",\"labels\":" + labels(s) + ",\"ts\":" + std::to_string(ts) +
                ",\"value\":" + std::to_string(value) + "}\n";
      }
    }
    return text;
  }
  std::map<Tuple, Rows> groups(const AggregatePlan& plan, const std::vector<std::size_t>& places);

  std::mt19937_64 random_;
  test::Database database_;
  std::map<Timestamp, double> points_[kSeries];
  std::vector<std::pair<SeriesRef, std::size_t>> order_;
  // Keeps the queries alive whose texts the answers reference.
  std::vector<std::unique_ptr<AggregateQuery>> queries_;
};

AggregatePlan World::randomPlan(std::vector<std::size_t>& places) {
  AggregatePlan plan;
  for (const auto& [ref, series] : order_) {
    plan.read.refs.push_back(ref);
    plan.isCounter.push_back(series % 2 == 0);
    plan.read.places.push_back(static_cast<std::uint32_t>(series));
  }
  plan.read.ranges = {{static_cast<Timestamp>(random_() % 3000), 5000}, {5500, 9000}};
  plan.arguments = arguments();
  for (std::size_t place = 0; place < std::size(kKeys); ++place) {
    if (random_() % 4 == 0) places.push_back(place);
  }
  if (!places.empty()) plan.keyValues = keyValues(places);
  for (std::uint32_t i = 0; i < places.size(); ++i) {
    plan.keys.push_back({KeyKind::kExpression, "", i});
  }
  if (random_() % 2 == 0) plan.keys.push_back({KeyKind::kLabel, "host", 0});
  plan.keyColumns = keyColumns();
  for (std::uint32_t place = 0; place < plan.keyColumns.size(); ++place) {
    if (random_() % 4 == 0) plan.keys.push_back({KeyKind::kColumn, "", place});
  }
  std::shuffle(plan.keys.begin(), plan.keys.end(), random_);
  for (std::uint32_t key = 0; key < plan.keys.size(); ++key) plan.order.push_back(key);
  for (const auto kind : {AggregateKind::kRows, AggregateKind::kCount, AggregateKind::kSum,
                          AggregateKind::kMax, AggregateKind::kVariance, AggregateKind::kFirst,
                          AggregateKind::kLast, AggregateKind::kMinTime, AggregateKind::kIncrease,
                          AggregateKind::kIntegral, AggregateKind::kPercentile}) {
    if (random_() % 3 == 0) plan.aggregates.push_back({kind, 1});
  }
  if (random_() % 2 == 0) plan.aggregates.push_back({AggregateKind::kDelta, 0, 0});
  if (random_() % 2 == 0) plan.aggregates.push_back({AggregateKind::kSum, 0, 1});
  if (random_() % 2 == 0) plan.aggregates.push_back({AggregateKind::kLast, 0, 1});
  return plan;
}

ResultTable World::answer(const AggregatePlan& plan, std::size_t threads) {
  auto query = AggregateQuery::make(database_.engine(), database_.engine().index(), plan);
  CHECK(query.ok());
  EXPECT(plan.keyValues.isEmpty() || !query.value()->isShort());
  ResultTable table;
  CHECK(query.value()->run({database_.engine().queryThreads().post, threads}, table).ok());
  queries_.push_back(std::move(query).value());
  return table;
}

std::map<Tuple, Rows> World::groups(const AggregatePlan& plan,
                                    const std::vector<std::size_t>& places) {
  std::map<Tuple, Rows> groups;
  for (const auto& [ref, series] : order_) {
    const SeriesId id = database_.index()->idOf(ref);
    for (const auto& [ts, value] : points_[series]) {
      const auto hasTime = [at = ts](TimeRange range) { return range.contains(at); };
      const bool isIn = std::any_of(plan.read.ranges.begin(), plan.read.ranges.end(), hasTime);
      if (!isIn) continue;
      const Row row{ts, id, series % kHosts, series, series % 2 == 0, value};
      Tuple tuple;
      for (const GroupKey& key : plan.keys) tuple.push_back(keyOf(key, places, row));
      groups[tuple].push_back(row);
    }
  }
  return groups;
}

// Folds the rows of each series in order of time, and sums over the series.
template <typename Fold>
double perSeries(const Rows& rows, Fold fold) {
  std::map<SeriesId, Rows> series;
  for (const Row& row : rows) series[row.id].push_back(row);
  double sum = 0;
  for (const auto& [id, own] : series) sum += fold(own);
  return sum;
}

double gainOf(const Rows& own) {
  if (!own[0].isCounter) return own.back().value - own[0].value;
  double gain = 0;
  for (std::size_t i = 1; i < own.size(); ++i) {
    const double step = own[i].value - own[i - 1].value;
    gain += step < 0 ? own[i].value : step;
  }
  return gain;
}

double areaOf(const Rows& own) {
  double area = 0;
  for (std::size_t i = 1; i < own.size(); ++i) {
    area += (own[i].value + own[i - 1].value) / 2 * static_cast<double>(own[i].ts - own[i - 1].ts);
  }
  return area / 1000;
}

// REQUIRES: some rows, by time, then by series, whose argument is not null.
double expectedOfKnown(const AggregateColumn& column, const Rows& rows) {
  const auto n = static_cast<double>(rows.size());
  const auto ofTime = [](const Row& row) { return static_cast<double>(row.ts % 10); };
  const bool isOfTime = column.argument == 1;
  double sum = 0;
  for (const Row& row : rows) sum += isOfTime ? ofTime(row) : row.value;
  double squares = 0;
  for (const Row& row : rows) squares += (row.value - sum / n) * (row.value - sum / n);
  const auto byValue = [](const Row& a, const Row& b) { return a.value < b.value; };
  switch (column.kind) {
    case AggregateKind::kCount:
      return n;
    case AggregateKind::kSum:
      return sum;
    case AggregateKind::kPercentile:  // At 1.
    case AggregateKind::kMax:
      return std::max_element(rows.begin(), rows.end(), byValue)->value;
    case AggregateKind::kVariance:
      return squares / (n - 1);
    case AggregateKind::kFirst:
      return rows.front().value;
    case AggregateKind::kLast:
      return isOfTime ? ofTime(rows.back()) : rows.back().value;
    case AggregateKind::kMinTime:
      return static_cast<double>(std::min_element(rows.begin(), rows.end(), byValue)->ts);
    case AggregateKind::kIntegral:
      return perSeries(rows, areaOf);
    case AggregateKind::kIncrease:
      return perSeries(rows, gainOf);
    case AggregateKind::kDelta: {
      Rows twice = rows;
      for (Row& row : twice) row.value *= 2;
      return perSeries(twice, gainOf);
    }
    default:
      return NAN;
  }
}

// REQUIRES: rows by time, then by series.
double expected(const AggregateColumn& column, const Rows& rows) {
  if (column.kind == AggregateKind::kRows) return static_cast<double>(rows.size());
  Rows known = rows;
  const auto isNull = [](const Row& row) { return std::isnan(row.value); };
  if (column.argument != 1) std::erase_if(known, isNull);
  if (!known.empty()) return expectedOfKnown(column, known);
  if (column.kind == AggregateKind::kCount) return 0;
  return column.kind == AggregateKind::kMinTime ? kNull : static_cast<double>(NAN);
}

double cellOf(const ResultColumn& column, std::size_t row) {
  switch (column.kind) {
    case ResultColumn::Kind::kInteger:
      return !column.nulls.empty() && column.nulls[row] != 0
                 ? kNull
                 : static_cast<double>(column.integers[row]);
    case ResultColumn::Kind::kDouble:
      return column.doubles[row];
    case ResultColumn::Kind::kBoolean:
      return column.booleans[row] == kUnknown ? kNull : column.booleans[row];
    case ResultColumn::Kind::kText:
      if (column.codes[row] == ResultColumn::kNull) return kNull;
      return std::stod(std::string(column.texts[column.codes[row]].substr(1)));
    case ResultColumn::Kind::kSeriesId:
      break;
  }
  return NAN;
}

bool isNear(double a, double b) {
  if (std::isnan(a) || std::isnan(b)) return std::isnan(a) && std::isnan(b);
  return a == b || std::fabs(a - b) <= 1e-7 + 1e-9 * std::fabs(b);
}

// Expects the rows of the answer to equal those of the map, in its order.
void World::check(const AggregatePlan& plan, const std::vector<std::size_t>& places,
                  const ResultTable& table) {
  std::map<Tuple, Rows> all = groups(plan, places);
  REQUIRE(table.rowCount == all.size());
  std::size_t at = 0;
  for (auto& [tuple, rows] : all) {
    std::sort(rows.begin(), rows.end(),
              [](const Row& a, const Row& b) { return a.ts != b.ts ? a.ts < b.ts : a.id < b.id; });
    for (std::size_t key = 0; key < tuple.size(); ++key) {
      const double cell = cellOf(table.columns[key], at);
      REQUIRE((std::isnan(cell) ? kNull : cell) == tuple[key]);
    }
    for (std::size_t i = 0; i < plan.aggregates.size(); ++i) {
      const double cell = cellOf(table.columns[tuple.size() + i], at);
      REQUIRE(isNear(cell, expected(plan.aggregates[i], rows)));
    }
    ++at;
  }
}

bool isEqual(const ResultTable& a, const ResultTable& b) {
  if (a.rowCount != b.rowCount) return false;
  for (std::size_t i = 0; i < a.columns.size(); ++i) {
    for (std::size_t row = 0; row < a.rowCount; ++row) {
      const double one = cellOf(a.columns[i], row);
      const double other = cellOf(b.columns[i], row);
      if (one != other && !(std::isnan(one) && std::isnan(other))) return false;
    }
  }
  return true;
}

}  // namespace

TEST("groups by expressions equal plain folds, with any number of threads") {
  for (std::uint64_t round = 0; round < test::rounds(4U); ++round) {
    World world(test::seed() + round);
    for (int i = 0; i < 8; ++i) {
      std::vector<std::size_t> places;
      const AggregatePlan plan = world.randomPlan(places);
      const std::size_t threads = 1 + world.random() % 4;
      const ResultTable table = world.answer(plan, threads);
      world.check(plan, places, table);
      // Equal to the last digit, in any order of the threads.
      EXPECT(isEqual(table, world.answer(plan, threads)));
    }
  }
}

TEST("limits, deadlines and cancellation end a query of groups by expressions") {
  test::Database database;
  REQUIRE(database.open().ok());
  REQUIRE(database.ingest(test::lines("m", 20'000)).ok());
  REQUIRE(database.flush().ok());
  AggregatePlan plan;
  plan.read.refs = {0};
  plan.read.ranges = {{0, 9999}};
  plan.keyValues = keyValues({5});
  plan.keys = {{KeyKind::kExpression, "", 0}};
  plan.aggregates = {{AggregateKind::kCount, 0}};
  const auto statusOf = [&database](const AggregatePlan& one, bool isCancelled) {
    auto query = AggregateQuery::make(database.engine(), database.engine().index(), one);
    if (isCancelled) query.value()->cancel();
    ResultTable table;
    return query.value()->run({[](const auto&) { return false; }, 2}, table);
  };
  EXPECT(statusOf(plan, false).ok());
  EXPECT(statusOf(plan, true).code() == StatusCode::kClosed);
  plan.read.limits.rowsMax = 10'000;
  EXPECT(statusOf(plan, false).ok());
  plan.read.limits.rowsMax = 9999;
  EXPECT(statusOf(plan, false).code() == StatusCode::kQueryLimit);
  // The query ends before it has read everything.
  plan.read.ranges = {test::kAllTime};
  plan.read.limits.rowsMax = 10;
  plan.read.limits.samplesMax = 19'999;
  const std::string why(statusOf(plan, false).message());
  EXPECT(why.find("max_query_rows") != std::string::npos);
  plan.read.limits = {};
  plan.read.limits.deadlineNanos = 1;
  EXPECT(statusOf(plan, false).code() == StatusCode::kQueryTimeout);
}

TEST("key tuples are numbered in order of arrival, and equal tuples share a number") {
  std::mt19937_64 random(test::seed());
  for (const std::size_t keys : {std::size_t{1}, std::size_t{3}, std::size_t{64}}) {
    KeyTuples tuples(keys);
    KeyTuples others(keys);
    std::map<std::vector<std::uint64_t>, std::uint32_t> known;
    for (int i = 0; i < 5000; ++i) {
      std::vector<std::uint64_t> words(tuples.width());
      for (std::uint64_t& word : words)
        word = random() % 3 == 0 ? random() % 8 << random() % 62 : 0;
      const std::uint64_t hash = KeyTuples::hash(words.data(), words.size());
      const auto next = static_cast<std::uint32_t>(known.size());
      const auto [found, isNew] = known.try_emplace(words, next);
      REQUIRE(tuples.numberOf(words.data(), hash) == found->second);
      if (random() % 2 == 0) others.numberOf(words.data(), hash);
    }
    REQUIRE(tuples.size() == known.size());
    const std::vector<std::uint32_t> numbers = tuples.take(others);
    REQUIRE(tuples.size() == known.size());
    for (std::uint32_t number = 0; number < others.size(); ++number) {
      const std::uint64_t* words = others.wordsOf(number);
      EXPECT(KeyTuples::isSame(tuples.wordsOf(numbers[number]), words, tuples.width()));
    }
  }
}
