// Raw rows in order, cut by offset and limit, however far the offset.

#include "query/row_query.h"

#include <algorithm>
#include <random>
#include <string>
#include <tuple>

#include "engine/engine_fixture.h"
#include "harness.h"

using namespace seriesdb;

namespace {

using Expected = std::vector<std::tuple<Timestamp, std::uint32_t, double>>;

constexpr std::uint32_t kSeries = 3;

// Samples of three series, many at the same time; some in chunks, some in memory, some twice.
Expected fill(test::Database& database, std::mt19937_64& random, int count) {
  std::string text;
  std::vector<std::vector<std::pair<Timestamp, double>>> all(kSeries);
  for (int i = 0; i < count; ++i) {
    // The first lines give each series its ref.
    const auto turn = static_cast<std::uint32_t>(i);
    const std::uint32_t series = turn < kSeries ? turn : random() % kSeries;
    const Timestamp ts = static_cast<Timestamp>(random() % (static_cast<std::uint64_t>(count) * 2));
    text += test::line("m" + std::to_string(series), ts, i);
    all[series].emplace_back(ts, i);
    if (i != count / 2 && i != count - 1) continue;
    EXPECT(database.ingest(text).ok());
    text.clear();
    if (i == count / 2) EXPECT(database.flush().ok());
  }
  Expected rows;
  for (std::uint32_t series = 0; series < kSeries; ++series) {
    auto& samples = all[series];
    std::stable_sort(samples.begin(), samples.end(),
                     [](const auto& a, const auto& b) { return a.first < b.first; });
    for (std::size_t i = 0; i < samples.size(); ++i) {
      const bool isLast = i + 1 == samples.size() || samples[i + 1].first != samples[i].first;
      if (isLast) rows.emplace_back(samples[i].first, series, samples[i].second);
    }
  }
  return rows;
}

void sortRows(Expected& rows, bool isDescending) {
  std::sort(rows.begin(), rows.end(), [isDescending](const auto& a, const auto& b) {
    if (std::get<0>(a) != std::get<0>(b)) return (std::get<0>(a) < std::get<0>(b)) != isDescending;
    return std::get<1>(a) < std::get<1>(b);
  });
}

struct Answer {
  StatusCode code = StatusCode::kOk;
  Expected rows;
  QueryStats stats;
};

Answer ask(test::Database& database, const ReadPlan& plan, RowOrder order) {
  const auto view = database.engine().pinView(test::kAllTime);
  auto query = RowQuery::make(view.value(), plan, order);
  Answer answer;
  for (ColumnBatch batch;;) {
    const Status status = query.value()->next(batch);
    answer.code = status.code();
    if (!status.ok() || batch.ts.empty()) break;
    for (std::size_t i = 0; i < batch.ts.size(); ++i) {
      answer.rows.emplace_back(batch.ts[i], batch.series[i], batch.values[i]);
    }
  }
  answer.stats = query.value()->stats();
  return answer;
}

TEST("rows are cut by offset and limit, and only those given count towards the limit") {
  std::mt19937_64 random(test::seed());
  test::Database database;
  REQUIRE(database.open().ok());
  const Expected all = fill(database, random, 240'000);
  ReadPlan plan;
  for (std::uint32_t ref = 0; ref < kSeries; ++ref) plan.refs.push_back(ref);
  for (int round = 0; round < test::rounds(24); ++round) {
    plan.ranges = {test::kAllTime};
    if (round % 3 == 1) plan.ranges = {{1000, 200'000}, {200'001, 200'001}, {250'000, 479'000}};
    Expected rows;
    for (const auto& row : all) {
      const auto holds = [&row](const TimeRange& range) {
        return range.start <= std::get<0>(row) && std::get<0>(row) <= range.end;
      };
      if (std::any_of(plan.ranges.begin(), plan.ranges.end(), holds)) rows.push_back(row);
    }
    RowOrder order;
    order.isDescending = random() % 2 == 0;
    order.offset = random() % (rows.size() + rows.size() / 8);
    if (round % 4 == 2) order.offset = rows.size() - random() % 100;
    if (round % 4 == 3) order.offset = 65536 * (1 + random() % 2);
    order.limit = random() % 3 == 0 ? UINT64_MAX : random() % 3000;
    sortRows(rows, order.isDescending);
    const auto from =
        static_cast<std::ptrdiff_t>(std::min<std::uint64_t>(order.offset, rows.size()));
    rows.erase(rows.begin(), rows.begin() + from);
    if (rows.size() > order.limit) rows.resize(static_cast<std::size_t>(order.limit));
    plan.limits.rowsMax = std::max<std::uint64_t>(rows.size(), 1);
    const Answer answer = ask(database, plan, order);
    EXPECT(answer.code == StatusCode::kOk);
    EXPECT(answer.rows == rows);
    EXPECT(answer.stats.seriesScanned == kSeries || order.limit == 0);
    if (rows.size() < 2) continue;
    plan.limits.rowsMax = rows.size() - 1;
    EXPECT(ask(database, plan, order).code == StatusCode::kQueryLimit);
  }
}

TEST("few rows of a long series are found without reading all of it") {
  test::Database database;
  REQUIRE(database.open().ok());
  REQUIRE(database.ingest(test::lines("m", 100'000)).ok());
  REQUIRE(database.flush().ok());
  ReadPlan plan;
  plan.refs = {0};
  plan.ranges = {test::kAllTime};
  for (const bool isDescending : {false, true}) {
    RowOrder order;
    order.isDescending = isDescending;
    order.offset = 2;
    order.limit = 3;
    const Answer answer = ask(database, plan, order);
    REQUIRE(answer.rows.size() == 3);
    EXPECT(std::get<0>(answer.rows[0]) == (isDescending ? 99'997 : 2));
    EXPECT(answer.stats.rowsScanned <= 8192);
    EXPECT(answer.stats.chunksScanned == 1);
  }
}

}  // namespace
