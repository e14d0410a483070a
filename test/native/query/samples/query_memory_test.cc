// Memory of queries: counted while they run and while their answers are read, returned however they
// end, and bounded by the memory limit.

#include <future>
#include <string>
#include <thread>

#include "harness.h"
#include "query/query_reader.h"
#include "query/query_request.h"
#include "query/query_runs.h"
#include "storage/engine/engine_fixture.h"

using namespace seriesdb;

namespace {

constexpr int kSamples = 100'000;
constexpr std::uint64_t kMiB = std::uint64_t{1} << 20;

QueryRequest requestOf(QueryAnswer answer) {
  QueryRequest request;
  request.answer = answer;
  request.series = SeriesFilter{};
  request.plan.read.ranges = {test::kAllTime};
  request.plan.read.limits.rowsMax = 1'000'000;
  return request;
}

// A query that holds every value of every sample until it answers.
QueryRequest distinctValues() {
  QueryRequest request = requestOf(QueryAnswer::kGroups);
  request.plan.aggregates = {{AggregateKind::kCountDistinct, 0}};
  return request;
}

// One row for each sample.
QueryRequest manyGroups() {
  QueryRequest request = requestOf(QueryAnswer::kGroups);
  request.plan.bucket = {1, 0};
  request.plan.keys = {{KeyKind::kBucket, ""}};
  request.plan.aggregates = {{AggregateKind::kSum, 0}};
  return request;
}

std::uint64_t heldBy(test::Database& database) { return database.engine().memoryUse().queries; }

void limitTo(test::Database& database, std::uint64_t bytes) {
  EngineLimits limits = database.engine().limits();
  limits.memoryLimitBytes = bytes;
  database.engine().configure(limits);
}

std::unique_ptr<QueryReader> begin(test::Database& database, QueryRequest request) {
  auto reader = QueryReader::make(database.engine(), std::move(request));
  CHECK(reader.ok());
  return std::move(reader).value();
}

TEST("an answer counts as memory until its reader is released or destroyed") {
  test::Database database;
  REQUIRE(database.open().ok());
  REQUIRE(database.ingest(test::lines("m", kSamples)).ok());
  for (const bool isReleased : {true, false}) {
    for (const auto& request : {requestOf(QueryAnswer::kRows), manyGroups()}) {
      auto reader = begin(database, request);
      QueryBatch batch;
      REQUIRE(reader->next(batch).ok());
      EXPECT(heldBy(database) >= kSamples * 2 * sizeof(double));
      if (isReleased) reader->release();
      EXPECT(!isReleased || heldBy(database) == 0);
      reader.reset();
      EXPECT(heldBy(database) == 0);
    }
  }
}

TEST("rows leave the memory account after the last one was read") {
  test::Database database;
  REQUIRE(database.open().ok());
  REQUIRE(database.ingest(test::lines("m", kSamples)).ok());
  auto reader = begin(database, requestOf(QueryAnswer::kRows));
  QueryBatch batch;
  do {
    REQUIRE(reader->next(batch).ok());
  } while (!batch.isEnd);
  EXPECT(heldBy(database) == 0);
}

TEST("a query past the memory limit is refused, names the limit and holds no memory") {
  test::Database database;
  REQUIRE(database.open().ok());
  REQUIRE(database.ingest(test::lines("m", kSamples)).ok());
  for (const bool isFlushed : {false, true}) {
    for (const auto& request : {distinctValues(), manyGroups(), requestOf(QueryAnswer::kRows)}) {
      limitTo(database, 1024 * kMiB);
      QueryBatch batch;
      EXPECT(begin(database, request)->next(batch).ok());
      // The index uses part of this limit; before the flush, the memtable alone exceeds it.
      limitTo(database, kMiB);
      const Status refused = begin(database, request)->next(batch);
      EXPECT(refused.code() == StatusCode::kQueryLimit);
      EXPECT(refused.message().find("memory_limit_bytes = 1048576") != std::string::npos);
      EXPECT(heldBy(database) == 0);
      // A query that needs little memory succeeds.
      QueryRequest small = request;
      small.plan.read.ranges = {{0, 1000}};
      EXPECT(begin(database, small)->next(batch).ok());
    }
    limitTo(database, 1024 * kMiB);
    if (!isFlushed) EXPECT(database.flush().ok());
  }
}

TEST("memory of all threads of a query counts, also beside other queries") {
  test::Database database;
  REQUIRE(database.open().ok());
  std::string text;
  for (int series = 0; series < 64; ++series) {
    text += test::lines("m" + std::to_string(series), 2000);
  }
  // Otherwise the lower limit would trigger a flush and leave more room.
  REQUIRE(database.ingest(text).ok() && database.flush().ok());
  while (database.engine().memoryUse().memtables() > 0) std::this_thread::yield();
  const std::uint64_t rest = database.engine().memoryUse().total();
  // One such query fits, but not two.
  auto first = begin(database, requestOf(QueryAnswer::kRows));
  QueryBatch batch;
  REQUIRE(first->next(batch).ok());
  const std::uint64_t held = heldBy(database);
  // Rows that threads gathered stay in memory until they are sorted into slices of time.
  limitTo(database, rest + 2 * held + held / 2);
  EXPECT(begin(database, requestOf(QueryAnswer::kRows))->next(batch).code() ==
         StatusCode::kQueryLimit);
  first.reset();
  EXPECT(begin(database, requestOf(QueryAnswer::kRows))->next(batch).ok());
  // 128,000 values, each in a part of its own thread.
  limitTo(database, rest + 64 * 2000 * sizeof(double) / 2);
  EXPECT(begin(database, distinctValues())->next(batch).code() == StatusCode::kQueryLimit);
  EXPECT(heldBy(database) == 0);
}

LONE_TEST("rows that an offset has skipped do not count beside the rows that are read next") {
  test::Database database;
  REQUIRE(database.open().ok());
  std::string text;
  for (int series = 0; series < 8; ++series) {
    text += test::lines("m" + std::to_string(series), 40'000);
  }
  REQUIRE(database.ingest(text).ok() && database.flush().ok());
  while (database.engine().memoryUse().memtables() > 0) std::this_thread::yield();
  const std::uint64_t rest = database.engine().memoryUse().total();
  const auto isRead = [&](std::uint64_t offset, std::uint64_t bytes) {
    limitTo(database, rest + bytes);
    QueryRequest request = requestOf(QueryAnswer::kRows);
    request.plan.read.limits.rowsMax = 70'000;
    request.order.offset = offset;
    request.order.limit = 10;
    QueryBatch batch;
    return begin(database, std::move(request))->next(batch).ok();
  };
  // The memory for one step of the offset, to an eighth.
  std::uint64_t bytes = kMiB / 2;
  while (!isRead(70'000, bytes)) bytes += bytes / 8;
  // Four steps, one after the other.
  EXPECT(isRead(250'000, bytes + bytes / 4));
}

TEST("a list of series counts as memory while it is read") {
  test::Database database;
  REQUIRE(database.open().ok());
  std::string text;
  for (int series = 0; series < 20'000; ++series) {
    text += test::line("m" + std::to_string(series), 1, 1);
  }
  REQUIRE(database.ingest(text).ok());
  QueryRequest request = requestOf(QueryAnswer::kList);
  request.text.emplace();
  request.text->columns.resize(1);
  request.text->columns[0].kind = TextColumn::Kind::kMetric;
  request.text->rowEnd = "\n";
  auto reader = begin(database, std::move(request));
  QueryBatch batch;
  REQUIRE(reader->next(batch).ok());
  EXPECT(heldBy(database) >= 20'000 * sizeof(SeriesRef));
  reader.reset();
  EXPECT(heldBy(database) == 0);
}

}  // namespace
