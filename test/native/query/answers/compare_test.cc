// Aggregates of a window against a plain model, over samples in segments, in memory and in both.
#include "query/answers/answers.h"

#include <algorithm>
#include <cmath>
#include <random>

#include "common/base/compensated_sum.h"
#include "storage/engine/engine_fixture.h"

using namespace seriesdb;
using namespace seriesdb::test;

namespace {

constexpr Aggregate kAll[] = {Aggregate::kLast, Aggregate::kAvg, Aggregate::kSum,
                              Aggregate::kMin,  Aggregate::kMax, Aggregate::kCount,
                              Aggregate::kDelta};

// Computes in long double and rereads everything; exact for the small decimals of these tests.
std::optional<double> model(const Points& points, Aggregate aggregate, bool isCounter) {
  if (points.empty()) return std::nullopt;
  std::vector<double> values;
  for (const auto& [ts, value] : points) values.push_back(value);
  long double sum = 0;
  long double increase = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    sum += values[i];
    if (i > 0) increase += values[i] < values[i - 1] ? values[i] : values[i] - values[i - 1];
  }
  switch (aggregate) {
    case Aggregate::kLast:
      return values.back();
    case Aggregate::kAvg:
      return static_cast<double>(sum) / static_cast<double>(values.size());
    case Aggregate::kSum:
      return static_cast<double>(sum);
    case Aggregate::kMin:
      return *std::min_element(values.begin(), values.end());
    case Aggregate::kMax:
      return *std::max_element(values.begin(), values.end());
    case Aggregate::kCount:
      return static_cast<double>(values.size());
    case Aggregate::kDelta:
      return isCounter ? static_cast<double>(increase) : values.back() - values.front();
  }
  return std::nullopt;
}

std::string field(const std::string& json, const std::string& key, std::size_t from = 0) {
  const std::size_t at = json.find("\"" + key + "\":", from) + key.size() + 3;
  return json.substr(at, json.find_first_of(",}", at) - at);
}

Comparison comparisonOf(std::string name, TimeRange current, TimeRange baseline, Aggregate one) {
  Comparison comparison;
  comparison.selector.name = std::move(name);
  comparison.current = current;
  comparison.baseline = baseline;
  comparison.aggregate = one;
  return comparison;
}

Result<std::string> compare(Database& database, Comparison comparison) {
  const auto reader = openComparison(database.engine(), std::move(comparison));
  std::string text;
  const Status read = reader->next(text);
  if (!read.ok()) return read;
  std::string rest;
  EXPECT(reader->next(rest).ok() && rest.empty());
  return text;
}

void expectWindow(const std::string& json, std::size_t from, const Points& points,
                  std::optional<double> value) {
  EXPECT(field(json, "samples", from) == std::to_string(points.size()));
  const std::string text = field(json, "value", from);
  if (!value) {
    EXPECT(text == "null");
  } else {
    EXPECT(std::strtod(text.c_str(), nullptr) == *value);
  }
}

Points within(const Points& all, TimeRange range) {
  return {all.lower_bound(range.start), all.upper_bound(range.end)};
}

}  // namespace

TEST("aggregates over any two windows equal those of a plain model, however samples are stored") {
  std::mt19937_64 random(seed());
  for (int round = 0; round < rounds(12); ++round) {
    Database database;
    Points all;
    REQUIRE(database.open().ok());
    for (std::uint64_t part = 0; part <= random() % 5; ++part) {
      std::string body = "{\"metric\":\"c\",\"kind\":\"counter\",\"ts\":0,\"value\":1}\n";
      all[0] = 1;
      body += line("m", 0, 1);
      // Parts of time are consecutive or overlap.
      const auto base = static_cast<Timestamp>(random() % 2 == 0 ? part * 20'000 : 0);
      for (std::uint64_t i = 0, count = random() % 12'000; i < count; ++i) {
        const Timestamp ts = base + static_cast<Timestamp>(random() % 20'000) + 1;
        const double value = static_cast<double>(random() % 1000) / 4 - 20;
        all[ts] = value;
        body += line("m", ts, value) + line("c", ts, value);
      }
      REQUIRE(database.ingest(body).ok());
      if (random() % 4 != 0) REQUIRE(database.flush().ok());
    }
    for (int i = 0; i < 30; ++i) {
      const auto window = [&] {
        TimeRange range{static_cast<Timestamp>(random() % 110'000) - 1000,
                        static_cast<Timestamp>(random() % 110'000) - 1000};
        if (random() % 4 == 0) range = kAllTime;
        if (range.start > range.end) std::swap(range.start, range.end);
        return range;
      };
      const TimeRange current = window();
      const TimeRange baseline = window();
      const bool isCounter = random() % 2 == 0;
      const Aggregate one = kAll[random() % std::size(kAll)];
      const auto json =
          compare(database, comparisonOf(isCounter ? "c" : "m", current, baseline, one));
      REQUIRE(json.ok());
      const std::string& text = json.value();
      const Points now = within(all, current);
      const Points then = within(all, baseline);
      expectWindow(text, text.find("\"current\""), now, model(now, one, isCounter));
      expectWindow(text, text.find("\"baseline\""), then, model(then, one, isCounter));
    }
  }
}

TEST("a sum is the same from memory and from segments, and loses no small values") {
  Database database;
  std::mt19937_64 random(seed());
  REQUIRE(database.open().ok());
  CompensatedSum expected;
  std::string body;
  for (Timestamp ts = 0; ts < 20'000; ++ts) {
    const double value = std::ldexp(static_cast<double>(random() % 1'000'000) - 500'000,
                                    static_cast<int>(random() % 60) - 30);
    expected.add(value);
    body += line("m", ts, value);
  }
  REQUIRE(database.ingest(body).ok());
  const auto sum = [&] {
    const auto json = compare(database, comparisonOf("m", kAllTime, kAllTime, Aggregate::kSum));
    CHECK(json.ok());
    return std::strtod(field(json.value(), "value").c_str(), nullptr);
  };
  EXPECT(sum() == expected.total());
  REQUIRE(database.flush().ok());
  EXPECT(sum() == expected.total());
  REQUIRE(database.ingest(line("m", 20'000, 1e17) + line("m", 20'001, 1) + line("m", 20'002, -1e17))
              .ok());
  for (const double value : {1e17, 1.0, -1e17}) expected.add(value);
  EXPECT(sum() == expected.total());

  CompensatedSum small;
  for (const double value : {1.0, 1e100, 1.0, -1e100}) small.add(value);
  EXPECT(small.total() == 2);
}

TEST("chunk summaries are used only where no newer sample overlaps the chunk") {
  Database database;
  REQUIRE(database.open().ok());
  std::string body;
  for (Timestamp ts = 0; ts < 40'000; ++ts) body += line("m", ts, static_cast<double>(ts % 100));
  REQUIRE(database.ingest(body).ok());
  REQUIRE(database.flush().ok());
  const auto value = [&](Aggregate one, TimeRange range) {
    const auto json = compare(database, comparisonOf("m", range, range, one));
    CHECK(json.ok());
    return std::strtod(field(json.value(), "value").c_str(), nullptr);
  };
  EXPECT(value(Aggregate::kMax, {1, 39'998}) == 99);
  // One newer sample in the middle of a chunk replaces what the summary counted.
  REQUIRE(database.ingest(line("m", 5'000, 1e6)).ok());
  EXPECT(value(Aggregate::kMax, kAllTime) == 1e6);
  EXPECT(value(Aggregate::kCount, kAllTime) == 40'000);
  REQUIRE(database.ingest(line("m", 5'000, 1) + line("m", 39'999, -7)).ok());
  EXPECT(value(Aggregate::kMax, kAllTime) == 99);
  EXPECT(value(Aggregate::kMin, kAllTime) == -7);
  EXPECT(value(Aggregate::kLast, kAllTime) == -7);
  EXPECT(value(Aggregate::kDelta, kAllTime) == -7);
  REQUIRE(database.flush().ok());
  EXPECT(value(Aggregate::kLast, {0, 5'000}) == 1);
  EXPECT(value(Aggregate::kMin, kAllTime) == -7);
}

TEST("a chunk's summary answers without reading the chunk, even if its bytes are damaged") {
  Database database;
  REQUIRE(database.open().ok());
  std::string body;
  for (Timestamp ts = 0; ts < 100; ++ts) body += line("m", ts, static_cast<double>(ts * ts % 7));
  REQUIRE(database.ingest(body).ok());
  REQUIRE(database.flush().ok());
  database.close();
  const std::string path = database.segmentPath(1);
  ByteBuffer bytes = contentOf(path);
  bytes[24 + 8] ^= 1;
  overwrite(path, bytes);
  REQUIRE(database.open().ok());
  const auto compareRange = [&](Aggregate one, TimeRange range) {
    return compare(database, comparisonOf("m", range, range, one));
  };
  EXPECT(compareRange(Aggregate::kMax, kAllTime).ok());
  EXPECT(compareRange(Aggregate::kSum, kAllTime).ok());
  EXPECT(compareRange(Aggregate::kSum, {1, 98}).status().code() == StatusCode::kStorageCorrupt);
  EXPECT(compareRange(Aggregate::kMax, {1, 98}).status().code() == StatusCode::kStorageCorrupt);
}

TEST("a comparison with a damaged segment in a window is refused") {
  Database database;
  REQUIRE(database.open().ok());
  REQUIRE(database.ingest(line("m", 5, 1)).ok());
  REQUIRE(database.flush().ok());
  database.close();
  const std::string path = database.segmentPath(1);
  ByteBuffer bytes = contentOf(path);
  bytes[bytes.size() - 20] ^= 1;
  overwrite(path, bytes);
  REQUIRE(database.open().ok());
  const auto codeOf = [&](TimeRange current, TimeRange baseline) {
    return compare(database, comparisonOf("m", current, baseline, Aggregate::kLast))
        .status()
        .code();
  };
  EXPECT(codeOf({0, 9}, {100, 200}) == StatusCode::kStorageCorrupt);
  EXPECT(codeOf({100, 200}, {0, 9}) == StatusCode::kStorageCorrupt);
  EXPECT(codeOf({100, 200}, {300, 400}) == StatusCode::kSeriesNotFound);
}
