// Grouped queries against plain folds over maps: random series, on disk or not, and random plans.
#include "query/aggregate_query.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <random>

#include "engine/engine_fixture.h"

using namespace seriesdb;

namespace {
constexpr std::size_t kSeriesCount = 7;
constexpr AggregateKind kKinds[] = {
    AggregateKind::kCount,      AggregateKind::kSum,          AggregateKind::kAvg,
    AggregateKind::kMin,        AggregateKind::kMax,          AggregateKind::kStddev,
    AggregateKind::kVariance,   AggregateKind::kFirst,        AggregateKind::kLast,
    AggregateKind::kMinTime,    AggregateKind::kMaxTime,      AggregateKind::kDelta,
    AggregateKind::kIncrease,   AggregateKind::kRate,         AggregateKind::kIntegral,
    AggregateKind::kPercentile, AggregateKind::kCountDistinct};

struct Row {
  Timestamp ts;
  std::size_t place;
  double value;
};
using Texts = std::vector<std::string>;  // The keys of a group, in the order of the plan.

// Series that differ in two labels, the second of which some lack.
class World {
 public:
  explicit World(std::uint64_t seed) : random_(seed) {
    CHECK(database_.open().ok());
    const std::uint64_t batches = 1 + random_() % 12;
    for (std::uint64_t i = 0; i < batches; ++i) {
      CHECK(database_.ingest(batch()).ok());
      if (random_() % 3 == 0) CHECK(database_.flush().ok());
      if (random_() % 3 == 0) remove(random_() % kSeriesCount);
    }
    const auto pinned = database_.engine().index();
    const SeriesIndex& index = *pinned;
    for (std::size_t s = 0; s < kSeriesCount; ++s) {
      if (points_[s].empty()) continue;
      const auto ref = index.find(identity(s));
      CHECK(ref.has_value());
      order_.push_back({index.idOf(*ref), *ref, s});
    }
    std::sort(order_.begin(), order_.end());
  }

  std::uint64_t random() { return random_(); }
  AggregatePlan randomPlan();
  void check(const AggregatePlan& plan, std::size_t threads);
  void checkNewest();

 private:
  struct Place {
    SeriesId id;
    SeriesRef ref;
    std::size_t series;
    auto operator<=>(const Place&) const = default;
  };

  static std::string labels(std::size_t s) {
    std::string text = "{\"host\":\"h" + std::to_string(s % 3) + "\"";
    if (s % 4 != 0) text += ",\"room\":\"r" + std::to_string(s) + "\"";
    return text + "}";
  }
  static std::string identity(std::size_t s) { return "m|" + labels(s); }
  Timestamp timestamp() {
    const std::uint64_t dice = random_() % 400;
    if (dice == 0) return INT64_MIN + static_cast<Timestamp>(random_() % 5);
    if (dice == 1) return INT64_MAX - static_cast<Timestamp>(random_() % 5);
    return static_cast<Timestamp>(random_() % 9000) * 10 - 45'000;
  }
  std::string batch() {
    std::string text;
    const bool isRegular = random_() % 2 == 0;
    Timestamp next = timestamp() / 2;
    for (std::uint64_t i = random_() % 4000; i > 0; --i) {
      const std::size_t s = random_() % kSeriesCount;
      const Timestamp ts = isRegular ? next += 10 : timestamp();
      const double value =
          static_cast<double>(static_cast<std::int64_t>(random_() % 2001) - 500) / 8;
      points_[s][ts] = value;
      const bool isStale = staleShare_ != 0 && random_() % staleShare_ == 0;
      if (isStale) points_[s].erase(ts);
      text += R"({"metric":"m","labels":)" + labels(s) + R"(,"ts":)" + std::to_string(ts) +
              R"(,"value":)" + (isStale ? "4.5e300" : std::to_string(value)) + "}\n";
    }
    return text;
  }
  void remove(std::size_t s) {
    const auto ref = database_.index()->find(identity(s));
    TimeRange range{timestamp(), timestamp()};
    if (!ref || range.start > range.end) return;
    CHECK(database_.remove({database_.index()->idOf(*ref)}, range).ok());
    points_[s].erase(points_[s].lower_bound(range.start), points_[s].upper_bound(range.end));
  }
  std::vector<double> sums(const AggregatePlan& plan);
  Texts keysOf(const AggregatePlan& plan, const Row& row) const;
  bool passes(const AggregatePlan& plan, const Row& row) const;
  double expected(const AggregatePlan& plan, const AggregateColumn& column,
                  const std::vector<Row>& rows) const;

  std::mt19937_64 random_;
  const std::uint64_t staleShare_ = std::array{0, 0, 7, 300}[random_() % 4];  // 0: none.
  test::Database database_;
  test::Points points_[kSeriesCount];
  std::vector<Place> order_;
  double limitLow_ = 0;
  double limitHigh_ = 0;
};

AggregatePlan World::randomPlan() {
  AggregatePlan plan;
  for (const Place& place : order_) {
    plan.read.refs.push_back(place.ref);
    plan.isCounter.push_back(place.series % 2 == 0);
  }
  Timestamp from = random_() % 3 == 0 ? INT64_MIN : timestamp();
  for (std::uint64_t i = 1 + random_() % 3; i > 0; --i) {
    const Timestamp to = random_() % 3 == 0 ? INT64_MAX : timestamp();
    if (from > to) break;
    plan.read.ranges.push_back({from, to});
    if (to > 50'000) break;
    from = to + 500;
  }
  if (random_() % 2 == 0) {
    const std::int64_t widths[] = {1, 7, 10, 600, 5000, 100'000, INT64_MAX};
    plan.bucket = {widths[random_() % 7], static_cast<Timestamp>(random_() % 100)};
    if (random_() % 4 == 0) plan.bucket->months = 1 + static_cast<int>(random_() % 12);
    plan.keys.push_back({KeyKind::kBucket, ""});
  }
  const GroupKey others[] = {{KeyKind::kLabel, "host"},
                             {KeyKind::kLabel, "room"},
                             {KeyKind::kMetric, ""},
                             {KeyKind::kSeriesId, ""},
                             {KeyKind::kLabel, "none"}};
  for (const GroupKey& key : others) {
    if (random_() % 3 == 0) plan.keys.push_back(key);
  }
  std::shuffle(plan.keys.begin(), plan.keys.end(), random_);
  for (const AggregateKind kind : kKinds) {
    if (random_() % 4 == 0) plan.aggregates.push_back({kind, 0.3});
  }
  limitLow_ = -INFINITY;
  limitHigh_ = INFINITY;
  if (random_() % 3 == 0) {
    limitLow_ = static_cast<double>(random_() % 300) - 100;
    limitHigh_ = limitLow_ + static_cast<double>(random_() % 100);
    // value > low and not value >= high
    plan.read.filter = ValueFilter::make({{FilterStep::kGreater, limitLow_},
                                          {FilterStep::kGreaterEqual, limitHigh_},
                                          {FilterStep::kNot, 0},
                                          {FilterStep::kAnd, 0}})
                           .value();
  }
  return plan;
}

Texts World::keysOf(const AggregatePlan& plan, const Row& row) const {
  const std::size_t s = order_[row.place].series;
  Texts texts;
  for (const GroupKey& key : plan.keys) {
    if (key.kind == KeyKind::kBucket) {
      BucketSpec spec = *plan.bucket;
      spec.reduceOrigin();
      texts.push_back(std::to_string(bucketStart(spec, bucketOf(spec, row.ts))));
    } else if (key.kind == KeyKind::kMetric) {
      texts.push_back("m");
    } else if (key.kind == KeyKind::kSeriesId) {
      texts.push_back(std::to_string(order_[row.place].id));
    } else if (key.label == "host") {
      texts.push_back("h" + std::to_string(s % 3));
    } else {
      texts.push_back(key.label == "room" && s % 4 != 0 ? "r" + std::to_string(s) : "(none)");
    }
  }
  return texts;
}

bool World::passes(const AggregatePlan& plan, const Row& row) const {
  const bool isIn = std::any_of(plan.read.ranges.begin(), plan.read.ranges.end(),
                                [&row](TimeRange range) { return range.contains(row.ts); });
  return isIn && row.value > limitLow_ && row.value < limitHigh_;
}

// One number per series, summed; NaN where no series has one.
template <typename Fold>
double perSeries(const std::vector<Row>& rows, Fold fold) {
  std::map<std::size_t, std::vector<Row>> series;
  for (const Row& row : rows) series[row.place].push_back(row);
  double sum = 0;
  bool hasAny = false;
  for (const auto& [place, own] : series) {
    const double one = fold(place, own);
    if (std::isnan(one)) continue;
    sum += one;
    hasAny = true;
  }
  return hasAny ? sum : static_cast<double>(NAN);
}

double gainOf(const std::vector<Row>& rows, bool isCounter) {
  if (!isCounter) return rows.back().value - rows.front().value;
  double sum = 0;
  for (std::size_t i = 1; i < rows.size(); ++i) {
    const double distance = rows[i].value - rows[i - 1].value;
    sum += distance < 0 ? rows[i].value : distance;
  }
  return sum;
}

double seconds(const Row& from, const Row& to) {
  // Exact also where the times are far from zero.
  const auto units = static_cast<std::uint64_t>(to.ts) - static_cast<std::uint64_t>(from.ts);
  return static_cast<double>(units) / 1000;
}

double World::expected(const AggregatePlan& plan, const AggregateColumn& column,
                       const std::vector<Row>& rows) const {
  const auto n = static_cast<double>(rows.size());
  std::vector<double> values;
  for (const Row& row : rows) values.push_back(row.value);
  std::sort(values.begin(), values.end());
  double sum = 0;
  double squares = 0;
  for (const Row& row : rows) sum += row.value;
  for (const Row& row : rows) squares += (row.value - sum / n) * (row.value - sum / n);
  const auto timeOf = [&rows](double value) {
    for (const Row& row : rows) {
      if (row.value == value) return static_cast<double>(row.ts);
    }
    return static_cast<double>(NAN);
  };
  const auto gain = [&plan](std::size_t place, const std::vector<Row>& own) {
    return gainOf(own, plan.isCounter[place]);
  };
  switch (column.kind) {
    case AggregateKind::kCount:
      return n;
    case AggregateKind::kSum:
      return sum;
    case AggregateKind::kAvg:
      return sum / n;
    case AggregateKind::kMin:
      return values.front();
    case AggregateKind::kMax:
      return values.back();
    case AggregateKind::kStddev:
      return std::sqrt(squares / (n - 1));
    case AggregateKind::kVariance:
      return squares / (n - 1);
    case AggregateKind::kFirst:
      return rows.front().value;
    case AggregateKind::kLast:
      return rows.back().value;
    case AggregateKind::kMinTime:
      return timeOf(values.front());
    case AggregateKind::kMaxTime:
      return timeOf(values.back());
    case AggregateKind::kDelta:
    case AggregateKind::kIncrease:
      return perSeries(rows, gain);
    case AggregateKind::kRate:
      return perSeries(rows, [&gain](std::size_t place, const std::vector<Row>& own) {
        return own.size() == 1 ? static_cast<double>(NAN)
                               : gain(place, own) / seconds(own.front(), own.back());
      });
    case AggregateKind::kIntegral:
      return perSeries(rows, [](std::size_t, const std::vector<Row>& own) {
        double area = 0;
        for (std::size_t i = 1; i < own.size(); ++i) {
          area += (own[i].value + own[i - 1].value) / 2 * seconds(own[i - 1], own[i]);
        }
        return area;
      });
    case AggregateKind::kCountDistinct:
      return static_cast<double>(std::unique(values.begin(), values.end()) - values.begin());
    case AggregateKind::kPercentile: {
      const double rank = column.quantile * (n - 1);
      const double low = std::floor(rank);
      const double at = values[static_cast<std::size_t>(low)];
      const double next = values[std::min(values.size() - 1, static_cast<std::size_t>(low) + 1)];
      return at + (next - at) * (rank - low);
    }
  }
  return NAN;
}

std::string textOf(const ResultColumn& column, std::size_t row) {
  switch (column.kind) {
    case ResultColumn::Kind::kInteger:
      return std::to_string(column.integers[row]);
    case ResultColumn::Kind::kSeriesId:
      return std::to_string(column.ids[row]);
    default:
      return column.codes[row] == ResultColumn::kNull
                 ? "(none)"
                 : std::string(column.texts[column.codes[row]]);
  }
}

double numberOf(const ResultColumn& column, std::size_t row) {
  return column.kind == ResultColumn::Kind::kDouble ? column.doubles[row]
                                                    : static_cast<double>(column.integers[row]);
}

bool isNear(double a, double b) {
  if (std::isnan(a) || std::isnan(b)) return std::isnan(a) && std::isnan(b);
  return std::fabs(a - b) <= 1e-7 + 1e-9 * std::fabs(b);
}

// A number of buckets from one end, against the same query without the limit.
void World::checkNewest() {
  AggregatePlan plan = randomPlan();
  plan.bucket = {1 + static_cast<std::int64_t>(random_() % 2000), 3};
  plan.keys = {{KeyKind::kBucket, ""}};
  plan.aggregates = {{AggregateKind::kSum, 0}};
  const std::vector<double> all = sums(plan);
  const std::size_t count = std::min<std::size_t>(1 + random_() % 8, all.size());
  plan.bucketsMax = static_cast<std::int64_t>(count);
  const auto some = static_cast<std::ptrdiff_t>(count);
  // A chunk that is decoded for one answer may be taken from its summary for the other, so that
  // sums differ in their last bits. A bucket that begins below int64 makes all come.
  const auto& ranges = plan.read.ranges;
  const bool isLowest = ranges.empty() || ranges.front().start < INT64_MIN + 2000;
  const auto isCutTo = [&](const std::vector<double>& wanted) {
    const std::vector<double> got = sums(plan);
    const auto& expected = isLowest && got.size() == all.size() ? all : wanted;
    return std::equal(got.begin(), got.end(), expected.begin(), expected.end(), isNear);
  };
  if (count == 0) return;
  EXPECT(isCutTo({all.end() - some, all.end()}));
  plan.bucketsMax = -plan.bucketsMax;
  EXPECT(isCutTo({all.begin(), all.begin() + some}));
}

std::vector<double> World::sums(const AggregatePlan& plan) {
  auto query = AggregateQuery::make(database_.engine(), database_.engine().index(), plan);
  ResultTable table;
  CHECK(query.value()->run([](const auto&) { return false; }, 1, table).ok());
  return table.columns.back().doubles;
}

void World::check(const AggregatePlan& plan, std::size_t threads) {
  std::map<Texts, std::vector<Row>> groups;
  for (std::size_t place = 0; place < order_.size(); ++place) {
    for (const auto& [ts, value] : points_[order_[place].series]) {
      const Row row{ts, place, value};
      if (passes(plan, row)) groups[keysOf(plan, row)].push_back(row);
    }
  }
  auto query = AggregateQuery::make(database_.engine(), database_.engine().index(), plan);
  REQUIRE(query.ok());
  ResultTable table;
  const auto post = [this](std::function<void()> task) {
    return database_.engine().post(Lane::kQuery, std::move(task));
  };
  REQUIRE(query.value()->run(post, threads, table).ok());
  REQUIRE(table.rowCount == groups.size());
  for (std::size_t row = 0; row < table.rowCount; ++row) {
    Texts keys;
    for (std::size_t i = 0; i < plan.keys.size(); ++i)
      keys.push_back(textOf(table.columns[i], row));
    REQUIRE(groups.contains(keys));
    std::vector<Row>& rows = groups[keys];
    std::sort(rows.begin(), rows.end(), [](const Row& a, const Row& b) {
      return a.ts != b.ts ? a.ts < b.ts : a.place < b.place;
    });
    for (std::size_t i = 0; i < plan.aggregates.size(); ++i) {
      const double got = numberOf(table.columns[plan.keys.size() + i], row);
      const double wanted = expected(plan, plan.aggregates[i], rows);
      REQUIRE(isNear(got, wanted));
    }
  }
}

}  // namespace

TEST("a grouped query gives what plain folds give") {
  for (std::uint64_t round = 0; round < test::rounds(25U); ++round) {
    World world(test::seed() + round);
    for (int i = 0; i < 25; ++i) world.check(world.randomPlan(), 1 + world.random() % 3);
  }
}

TEST("the latest or earliest buckets are those of the whole answer") {
  for (std::uint64_t round = 0; round < test::rounds(10U); ++round) {
    World world(test::seed() + 500 + round);
    for (int i = 0; i < 10; ++i) world.checkNewest();
  }
}

TEST("a plan that makes no sense is refused") {
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

TEST("limits, deadlines and cancelling end a query") {
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
    return query.value()->run([](const auto&) { return false; }, 2, table).code();
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
  // Only the first bucket has such values, so that all time is looked through for the latest one.
  plan.bucketsMax = 1;
  plan.read.filter = ValueFilter::make({{FilterStep::kLess, 5}}).value();
  EXPECT(codeOf(plan, false) == StatusCode::kQueryLimit);
  plan.read.limits.samplesMax = 100;
  EXPECT(codeOf(plan, false) == StatusCode::kOk);
  plan.read.limits = {};
  plan.read.limits.deadlineNanos = 1;
  EXPECT(codeOf(plan, false) == StatusCode::kQueryTimeout);
}

TEST("sums of what a filter or a bucket leaves are the same before a flush and after it") {
  test::Database database;
  REQUIRE(database.open().ok());
  std::mt19937_64 random(test::seed());
  std::string body;
  // One value stands for none, and is the reach of its chunk.
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
    CHECK(query.value()->run([](const auto&) { return false; }, 1, table).ok());
    return std::vector<double>(table.columns[1].doubles.begin(), table.columns[1].doubles.end());
  };
  const auto before = sums();
  plan.aggregates.push_back({AggregateKind::kMax, 0});
  REQUIRE(database.flush().ok());
  EXPECT(sums() == before);
  plan.aggregates.pop_back();
  EXPECT(sums() == before);
}
