#include "query/aggregate_world.h"

#include <algorithm>
#include <cmath>

namespace seriesdb::test {
namespace {

constexpr AggregateKind kKinds[] = {
    AggregateKind::kRows,     AggregateKind::kCount,      AggregateKind::kSum,
    AggregateKind::kAvg,      AggregateKind::kMin,        AggregateKind::kMax,
    AggregateKind::kStddev,   AggregateKind::kVariance,   AggregateKind::kFirst,
    AggregateKind::kLast,     AggregateKind::kMinTime,    AggregateKind::kMaxTime,
    AggregateKind::kDelta,    AggregateKind::kIncrease,   AggregateKind::kRate,
    AggregateKind::kIntegral, AggregateKind::kPercentile, AggregateKind::kCountDistinct};

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
  if (!column.nulls.empty() && column.nulls[row] != 0) return NAN;
  return column.kind == ResultColumn::Kind::kDouble ? column.doubles[row]
                                                    : static_cast<double>(column.integers[row]);
}

bool isNear(double got, const ModelAnswer& wanted) {
  const auto [value, slack] = wanted;
  if (std::isnan(got) || std::isnan(value)) return std::isnan(got) && std::isnan(value);
  return std::fabs(got - value) <= 1e-7 + 1e-9 * std::fabs(value) + slack;
}

}  // namespace

AggregateWorld::AggregateWorld(std::uint64_t seed, OddShares shares)
    : random_(seed), shares_(shares) {
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

std::string AggregateWorld::labels(std::size_t s) {
  std::string text = "{\"host\":\"h" + std::to_string(s % 3) + "\"";
  if (s % 4 != 0) text += ",\"room\":\"r" + std::to_string(s) + "\"";
  return text + "}";
}

Timestamp AggregateWorld::timestamp() {
  const std::uint64_t dice = random_() % 400;
  if (dice == 0) return INT64_MIN + static_cast<Timestamp>(random_() % 5);
  if (dice == 1) return INT64_MAX - static_cast<Timestamp>(random_() % 5);
  return static_cast<Timestamp>(random_() % 9000) * 10 - 45'000;
}

std::string AggregateWorld::batch() {
  std::string text;
  const bool isRegular = random_() % 2 == 0;
  Timestamp next = timestamp() / 2;
  for (std::uint64_t i = random_() % 4000; i > 0; --i) {
    const std::size_t s = random_() % kSeriesCount;
    const Timestamp ts = isRegular ? next += 10 : timestamp();
    text += R"({"metric":"m","labels":)" + labels(s) + R"(,"ts":)" + std::to_string(ts) +
            R"(,"value":)" + std::to_string(addPoint(s, ts)) + "}\n";
  }
  return text;
}

// Returns the placeholder for the value in a text.
double AggregateWorld::addPoint(std::size_t s, Timestamp ts) {
  const auto isOneOf = [this](std::uint64_t share) { return share != 0 && random_() % share == 0; };
  if (isOneOf(shares_.stale)) {
    points_[s].erase(ts);
    return kAsStale;
  }
  if (isOneOf(shares_.null)) {
    points_[s][ts] = NAN;
    return kAsNull[random_() % kAsNull.size()].written;
  }
  const auto eighths = static_cast<std::int64_t>(random_() % 2001) - 500;
  return points_[s][ts] = static_cast<double>(eighths) / 8;
}

void AggregateWorld::remove(std::size_t s) {
  const auto ref = database_.index()->find(identity(s));
  TimeRange range{timestamp(), timestamp()};
  if (!ref || range.start > range.end) return;
  CHECK(database_.remove({database_.index()->idOf(*ref)}, range).ok());
  points_[s].erase(points_[s].lower_bound(range.start), points_[s].upper_bound(range.end));
}

AggregatePlan AggregateWorld::randomPlan() {
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

AggregateWorld::Texts AggregateWorld::keysOf(const AggregatePlan& plan, const ModelRow& row) const {
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

bool AggregateWorld::passes(const AggregatePlan& plan, const ModelRow& row) const {
  const bool isIn = std::any_of(plan.read.ranges.begin(), plan.read.ranges.end(),
                                [&row](TimeRange range) { return range.contains(row.ts); });
  if (!isIn || plan.read.filter.isEmpty()) return isIn;
  return row.value > limitLow_ && row.value < limitHigh_;
}

// A limited number of buckets from one end, against the same query without the limit.
void AggregateWorld::checkNewest() {
  AggregatePlan plan = randomPlan();
  plan.bucket = {1 + static_cast<std::int64_t>(random_() % 2000), 3};
  plan.keys = {{KeyKind::kBucket, ""}};
  plan.aggregates = {{AggregateKind::kSum, 0}};
  const std::vector<double> all = sums(plan);
  const std::size_t count = std::min<std::size_t>(1 + random_() % 8, all.size());
  plan.bucketsMax = static_cast<std::int64_t>(count);
  const auto some = static_cast<std::ptrdiff_t>(count);
  // One query may decode a chunk that the other answers from its summary, so sums differ in their
  // last bits. If a bucket begins below int64, all buckets are returned.
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

std::vector<double> AggregateWorld::sums(const AggregatePlan& plan) {
  auto query = AggregateQuery::make(database_.engine(), database_.engine().index(), plan);
  ResultTable table;
  CHECK(query.value()->run({}, table).ok());
  return table.columns.back().doubles;
}

AggregateWorld::Groups AggregateWorld::groupsOf(const AggregatePlan& plan) const {
  Groups groups;
  for (std::size_t place = 0; place < order_.size(); ++place) {
    for (const auto& [ts, value] : points_[order_[place].series]) {
      const ModelRow row{ts, place, value};
      if (passes(plan, row)) groups[keysOf(plan, row)].push_back(row);
    }
  }
  for (auto& [keys, rows] : groups) {
    std::sort(rows.begin(), rows.end(), [](const ModelRow& a, const ModelRow& b) {
      return a.ts != b.ts ? a.ts < b.ts : a.place < b.place;
    });
  }
  return groups;
}

void AggregateWorld::check(const AggregatePlan& plan, std::size_t threads) {
  const Groups groups = groupsOf(plan);
  auto query = AggregateQuery::make(database_.engine(), database_.engine().index(), plan);
  REQUIRE(query.ok());
  ResultTable table;
  REQUIRE(query.value()->run({database_.engine().queryThreads().post, threads}, table).ok());
  REQUIRE(table.rowCount == groups.size());
  for (std::size_t row = 0; row < table.rowCount; ++row) {
    Texts keys;
    for (std::size_t i = 0; i < plan.keys.size(); ++i)
      keys.push_back(textOf(table.columns[i], row));
    REQUIRE(groups.contains(keys));
    for (std::size_t i = 0; i < plan.aggregates.size(); ++i) {
      const double got = numberOf(table.columns[plan.keys.size() + i], row);
      REQUIRE(isNear(got, expectedOf(plan.aggregates[i], groups.at(keys), plan.isCounter)));
    }
  }
}

}  // namespace seriesdb::test
