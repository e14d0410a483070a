// Label answers of the Prometheus API against a plain walk over all series.
#include "query/remote_read/label_answer.h"

#include <map>
#include <set>

#include "storage/engine/engine_fixture.h"

using namespace seriesdb;
using namespace seriesdb::test;

namespace {

using Of = LabelQuestion::Of;

std::string answerOf(Database& database, LabelQuestion question) {
  LabelAnswer answer(database.engine(), std::move(question));
  std::string text;
  std::string piece;
  do {
    CHECK(answer.next(piece).ok());
    text += piece;
  } while (!piece.empty());
  return text;
}

std::string success(const std::string& rows, bool isCut = false) {
  return "{\"status\":\"success\",\"data\":[" + rows + "]" +
         (isCut ? ",\"warnings\":[\"results truncated due to limit\"]}" : "}");
}

LabelQuestion asked(Of of, std::vector<SeriesFilter> filters, TimeRange range = kAllTime) {
  LabelQuestion question{.of = of, .key = "a", .queries = {}};
  for (SeriesFilter& filter : filters) question.queries.push_back({std::move(filter), range});
  return question;
}

SeriesFilter named(std::string_view name) {
  SeriesFilter filter;
  filter.name = NameFilter::exact(name);
  return filter;
}

std::string labelled(const std::string& name, const std::string& labels, Timestamp ts) {
  return "{\"metric\":\"" + name + "\",\"labels\":{" + labels + "},\"ts\":" + std::to_string(ts) +
         ",\"value\":1}\n";
}

}  // namespace

TEST("series of several filters are listed once, with the metric as a label and no empty labels") {
  Database database;
  REQUIRE(database.open().ok());
  REQUIRE(database
              .ingest(labelled("m", R"("a":"2","Z":"1")", 1) + labelled("m", R"("a":"10")", 1) +
                      labelled("m", R"("a":"10","b":"")", 1) + labelled("n", R"("c":"\"")", 1))
              .ok());
  const std::string first = R"({"Z":"1","__name__":"m","a":"2"},{"__name__":"m","a":"10"})";
  const std::string last = R"({"__name__":"n","c":"\""})";
  const auto filters = [] { return std::vector{named("n"), named("m"), SeriesFilter{}}; };
  EXPECT(answerOf(database, asked(Of::kSets, filters())) == success(first + "," + last));
  EXPECT(answerOf(database, asked(Of::kSets, {named("m")})) == success(first));
  EXPECT(answerOf(database, asked(Of::kSets, {})) == success(""));
  EXPECT(answerOf(database, asked(Of::kNames, filters())) == success(R"("Z","__name__","a","c")"));
  EXPECT(answerOf(database, asked(Of::kNames, {named("x")})) == success(""));
  EXPECT(answerOf(database, asked(Of::kValues, filters())) == success(R"("10","2")"));
  LabelQuestion metrics = asked(Of::kValues, filters());
  metrics.key = "__name__";
  EXPECT(answerOf(database, metrics) == success(R"("m","n")"));
  metrics.limit = 1;
  EXPECT(answerOf(database, metrics) == success(R"("m")", true));
  LabelQuestion none = asked(Of::kSets, filters());
  none.limit = 0;
  EXPECT(answerOf(database, none) == success("", true));
  LabelQuestion empty = asked(Of::kValues, filters());
  empty.key = "b";
  EXPECT(answerOf(database, empty) == success(""));
}

TEST("a series matches a range that overlaps its first to last sample, wherever stored") {
  Random random(seed());
  Database database;
  REQUIRE(database.open().ok());
  std::map<std::string, TimeRange> bounds;
  for (int i = 0; i < 300; ++i) {
    const std::string value = std::to_string(random() % 40);
    const auto ts = static_cast<Timestamp>(random() % 1000);
    REQUIRE(database.ingest(labelled("m", "\"a\":\"" + value + "\"", ts)).ok());
    auto [at, isNew] = bounds.try_emplace(value, TimeRange{ts, ts});
    at->second = {std::min(at->second.start, ts), std::max(at->second.end, ts)};
    if (i == 150) REQUIRE(database.flush().ok());
  }
  for (int round = 0; round < 200; ++round) {
    const auto start = static_cast<Timestamp>(random() % 1000);
    const TimeRange range{start, start + static_cast<Timestamp>(random() % 30)};
    std::string expected;
    for (const auto& [value, own] : bounds) {
      if (!overlaps(own, range)) continue;
      expected += (expected.empty() ? "\"" : ",\"") + value + "\"";
    }
    EXPECT(answerOf(database, asked(Of::kValues, {named("m")}, range)) == success(expected));
  }
}

TEST("more label sets than the series limit are refused, unless the request asks for fewer") {
  Database database;
  REQUIRE(database.open().ok());
  REQUIRE(database.ingest(labelled("m", "", 1) + labelled("n", "", 1)).ok());
  LabelQuestion question = asked(Of::kSets, {SeriesFilter{}});
  question.seriesMax = 1;
  LabelAnswer refused(database.engine(), question);
  std::string piece;
  EXPECT(refused.next(piece).code() == StatusCode::kQueryLimit);
  question.limit = 1;
  EXPECT(answerOf(database, question) == success(R"({"__name__":"m"})", true));
  question.of = Of::kNames;
  EXPECT(answerOf(database, question) == success(R"("__name__")"));
}

TEST("a long list of series is whole") {
  Database database;
  REQUIRE(database.open().ok());
  std::string text;
  std::set<std::string> sets;
  const std::string filler(200, 'x');
  for (int i = 0; i < 5000; ++i) {
    const std::string value = std::to_string(i) + filler;
    text += labelled("m", "\"a\":\"" + value + "\"", 1);
    sets.insert("{\"__name__\":\"m\",\"a\":\"" + value + "\"}");
  }
  REQUIRE(database.ingest(text).ok());
  std::string expected;
  for (const std::string& set : sets) expected += (expected.empty() ? "" : ",") + set;
  EXPECT(answerOf(database, asked(Of::kSets, {SeriesFilter{}})) == success(expected));
}
