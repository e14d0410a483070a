// Raw rows in order, cut by offset and limit, for any offset.

#include "query/rows/row_query.h"

#include <algorithm>
#include <random>
#include <string>
#include <thread>
#include <tuple>

#include "harness.h"
#include "storage/engine/engine_fixture.h"

using namespace seriesdb;

namespace {

using Expected = std::vector<std::tuple<Timestamp, std::uint32_t, double>>;

constexpr std::uint32_t kSeries = 3;

// Samples of some series, many at the same time; some in chunks, some in memory, some stored twice.
Expected fill(test::Database& database, std::mt19937_64& random, int count,
              std::uint32_t seriesCount = kSeries) {
  std::string text;
  std::vector<std::vector<std::pair<Timestamp, double>>> all(seriesCount);
  for (int i = 0; i < count; ++i) {
    // The first lines give each series its ref.
    const auto turn = static_cast<std::uint32_t>(i);
    const std::uint32_t series = turn < seriesCount ? turn : random() % seriesCount;
    const Timestamp ts = static_cast<Timestamp>(random() % (static_cast<std::uint64_t>(count) * 2));
    text += test::line("m" + std::to_string(series), ts, i);
    all[series].emplace_back(ts, i);
    if (i != count / 2 && i != count - 1) continue;
    EXPECT(database.ingest(text).ok());
    text.clear();
    if (i == count / 2) EXPECT(database.flush().ok());
  }
  Expected rows;
  for (std::uint32_t series = 0; series < seriesCount; ++series) {
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

Answer ask(test::Database& database, const ReadPlan& plan, RowOrder order,
           std::size_t threadCount = 1) {
  const auto view = database.engine().pinView(test::kAllTime);
  auto query = RowQuery::make(view.value(), plan, order);
  std::vector<std::thread> threads;
  const auto post = [&threads](std::function<void()> task) {
    threads.emplace_back(std::move(task));
    return true;
  };
  Answer answer;
  answer.code = query.value()->read({post, threadCount}).code();
  for (std::thread& thread : threads) thread.join();
  if (answer.code == StatusCode::kOk) {
    for (RowLists rows = query.value()->rows(); !rows.isDone(); rows.pass(rows.left().size())) {
      for (const auto& [ts, place, value] : rows.left()) answer.rows.emplace_back(ts, place, value);
    }
  }
  answer.stats = query.value()->stats();
  return answer;
}

LONE_TEST("rows are cut by offset and limit, and only returned rows count towards the row limit") {
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

TEST("rows, row limit and statistics do not depend on the number of threads") {
  constexpr std::uint32_t kMany = 120;
  std::mt19937_64 random(test::seed());
  test::Database database;
  REQUIRE(database.open().ok());
  const Expected all = fill(database, random, 30'000, kMany);
  ReadPlan plan;
  for (std::uint32_t ref = 0; ref < kMany; ++ref) plan.refs.push_back(ref);
  plan.ranges = {{100, 20'000}, {30'000, 60'000}};
  Expected rows;
  for (const auto& row : all) {
    const Timestamp ts = std::get<0>(row);
    if (plan.ranges[0].contains(ts) || plan.ranges[1].contains(ts)) rows.push_back(row);
  }
  for (const bool isDescending : {false, true}) {
    sortRows(rows, isDescending);
    for (const std::size_t offset : {std::size_t{0}, rows.size() / 3}) {
      RowOrder order;
      order.isDescending = isDescending;
      order.offset = offset;
      const Expected wanted(rows.begin() + static_cast<std::ptrdiff_t>(offset), rows.end());
      plan.limits.rowsMax = rows.size();
      const Answer alone = ask(database, plan, order);
      EXPECT(alone.rows == wanted);
      for (const std::size_t threads : {2, 3, 7}) {
        plan.limits.rowsMax = rows.size();
        const Answer together = ask(database, plan, order, threads);
        EXPECT(together.code == StatusCode::kOk && together.rows == wanted);
        EXPECT(together.stats.seriesScanned == alone.stats.seriesScanned);
        EXPECT(together.stats.rowsScanned == alone.stats.rowsScanned);
        EXPECT(together.stats.chunksSkipped == alone.stats.chunksSkipped);
        plan.limits.rowsMax = wanted.size() - 1;
        EXPECT(ask(database, plan, order, threads).code == StatusCode::kQueryLimit);
      }
    }
  }
}

TEST("few rows of a long series are found without reading the whole series") {
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
