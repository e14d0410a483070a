// The guarantees of an open engine: acknowledged samples are read back, the last write wins
// wherever its samples lie, and a write that cannot be made durable is refused.
#include <chrono>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <random>
#include <thread>

#include "engine_fixture.h"

using namespace seriesdb;
using namespace seriesdb::test;

namespace {

constexpr Timestamp kDayMs = 86'400'000;

// Compares bits: -0 is not 0.
bool isSame(const std::optional<Points>& found, const Points& expected) {
  if (!found || found->size() != expected.size()) return false;
  return std::equal(found->begin(), found->end(), expected.begin(), [](auto& a, auto& b) {
    return a.first == b.first && std::memcmp(&a.second, &b.second, sizeof a.second) == 0;
  });
}

Points within(const Points& points, TimeRange range) {
  return {points.lower_bound(range.start), points.upper_bound(range.end)};
}

std::string joined(const std::vector<std::string>& sentences) {
  std::string all;
  for (const std::string& one : sentences) all += one + "\n";
  return all;
}

// Random requests, flushes, restarts and reads of a few series against a map.
class Model {
 public:
  explicit Model(std::uint64_t seed) : random_(seed) { REQUIRE(database_.open().ok()); }

  void step() {
    const std::uint64_t dice = random_() % 20;
    if (dice < 12) return ingest();
    if (dice > 14) return check();
    EXPECT(dice < 14 ? database_.flush().ok() : database_.open().ok());
  }
  void check() {
    const std::string metric = name();
    TimeRange range{timestamp(), timestamp()};
    if (range.start > range.end) std::swap(range.start, range.end);
    if (random_() % 3 == 0) range = kAllTime;
    EXPECT(isSame(database_.read(metric, range), within(series_[metric], range)));
  }

 private:
  std::string name() { return "m" + std::to_string(random_() % 4); }
  Timestamp timestamp() {
    const auto small = static_cast<Timestamp>(random_() % 400);
    switch (random_() % 8) {
      case 0:
        return INT64_MIN + small % 3;
      case 1:
        return INT64_MAX - small % 3;
      case 2:
        return -small * kDayMs / 3;
      case 3:
        return static_cast<Timestamp>(random_());
      default:
        return small;
    }
  }
  double value() {
    if (random_() % 2 == 0) return static_cast<double>(static_cast<int>(random_() % 2001) - 1000);
    const std::uint64_t bits = random_();
    double any;
    std::memcpy(&any, &bits, sizeof any);
    return std::isfinite(any) ? any : -0.0;
  }
  void ingest() {
    std::string body;
    const std::uint64_t count = 1 + random_() % 60;
    for (std::uint64_t i = 0; i < count; ++i) {
      const std::string metric = name();
      const Timestamp ts = timestamp();
      const double one = value();
      body += line(metric, ts, one);
      series_[metric][ts] = one;
    }
    EXPECT(database_.ingest(body).ok());
  }

  std::mt19937_64 random_;
  Database database_;
  std::map<std::string, Points> series_;
};

}  // namespace

TEST("samples of a request are read back by name, labels and range") {
  Database database;
  REQUIRE(database.open().ok());
  REQUIRE(database
              .ingest("{\"metric\":\"t\",\"labels\":{\"b\":\"2\",\"a\":\"1\"},\"ts\":5,\"value\":"
                      "24.2}\n" +
                      line("t", 7, -0.0) + line("u", 1, 1e300))
              .ok());
  EXPECT(database.readText("t").value() == "[{\"ts\":7,\"value\":-0}]");
  EXPECT(database.readText("u").value() == "[{\"ts\":1,\"value\":1e300}]");
  EXPECT(database.readText("u", {2, INT64_MAX}).value() == "[]");
  EXPECT(database.readText("u", {1, 1}).value() == "[{\"ts\":1,\"value\":1e300}]");
  EXPECT(database.readText("u", {2, 1}).value() == "[]");
  EXPECT(database.readText("never").value() == "[]");
  Selector labelled;
  labelled.name = "t";
  labelled.labels = {{{"a", "1"}, {"b", "2"}}};
  auto reader = openRange(database.engine(), labelled, kAllTime);
  REQUIRE(reader.ok());
  std::string piece;
  REQUIRE(reader.value()->next(piece).ok());
  EXPECT(piece == "[{\"ts\":5,\"value\":24.2}]");
  EXPECT(database.stat("ingest_total") == 3);
}

TEST("the last write wins across memory, segments and restarts, for random operations") {
  for (std::uint64_t round = 0; round < 6; ++round) {
    Model model(seed() + round);
    for (int i = 0; i < 120; ++i) model.step();
    for (int i = 0; i < 12; ++i) model.check();
  }
}

TEST("a rewritten timestamp has its last value, within a request and across flushes") {
  Database database;
  REQUIRE(database.open().ok());
  REQUIRE(database.ingest(line("m", 1, 1) + line("m", 1, 2) + line("m", 0, 9)).ok());
  EXPECT(isSame(database.read("m"), {{0, 9}, {1, 2}}));
  REQUIRE(database.flush().ok());
  REQUIRE(database.ingest(line("m", 1, 3)).ok());
  EXPECT(isSame(database.read("m"), {{0, 9}, {1, 3}}));
  REQUIRE(database.flush().ok());
  REQUIRE(database.ingest(line("m", 0, 4)).ok());
  REQUIRE(database.open().ok());
  EXPECT(isSame(database.read("m"), {{0, 4}, {1, 3}}));
  REQUIRE(database.flush().ok());
  EXPECT(isSame(database.read("m"), {{0, 4}, {1, 3}}));
}

TEST("samples of any age are stored, including the lowest and highest timestamp") {
  Database database;
  REQUIRE(database.open().ok());
  const Points all{{INT64_MIN, 1}, {INT64_MIN + 1, 2},     {-1, 3},
                   {0, 4},         {1'700'000'000'000, 5}, {INT64_MAX, 6}};
  for (auto one = all.rbegin(); one != all.rend(); ++one) {
    REQUIRE(database.ingest(line("m", one->first, one->second)).ok());
  }
  for (const bool isFlushed : {false, true}) {
    if (isFlushed) REQUIRE(database.flush().ok());
    EXPECT(isSame(database.read("m"), all));
    EXPECT(isSame(database.read("m", {INT64_MIN, INT64_MIN}), {{INT64_MIN, 1}}));
    EXPECT(isSame(database.read("m", {INT64_MAX, INT64_MAX}), {{INT64_MAX, 6}}));
    EXPECT(isSame(database.read("m", {-1, 0}), {{-1, 3}, {0, 4}}));
  }
  REQUIRE(database.open().ok());
  EXPECT(isSame(database.read("m"), all));
}

TEST("a flush of 120 days writes one segment, and loses and duplicates nothing") {
  Database database;
  REQUIRE(database.open().ok());
  std::map<std::string, Points> all;
  std::string body;
  for (int day = -60; day < 60; ++day) {
    for (int i = 0; i < 1 + (day & 3); ++i) {
      for (const char* metric : {"a", "b"}) {
        const Timestamp ts = day * kDayMs + i * 1000;
        all[metric][ts] = day + i / 4.0;
        body += line(metric, ts, all[metric][ts]);
      }
    }
  }
  REQUIRE(database.ingest(body).ok());
  REQUIRE(database.flush().ok());
  EXPECT(database.segmentPaths().size() == 1);
  EXPECT(database.stat("memtable_samples") == 0);
  for (const bool isReopened : {false, true}) {
    if (isReopened) REQUIRE(database.open().ok());
    for (const auto& [metric, points] : all) {
      EXPECT(isSame(database.read(metric), points));
      const TimeRange days{-3 * kDayMs, 2 * kDayMs};
      EXPECT(isSame(database.read(metric, days), within(points, days)));
    }
  }
}

TEST("an answer of many pieces is one JSON array") {
  Database database;
  REQUIRE(database.open().ok());
  Points all;
  for (int part = 0; part < 4; ++part) {
    std::string body;
    for (int i = 0; i < 12'000; ++i) {
      const Timestamp ts = i * 4 + part;
      all[ts] = ts / 8.0;
      body += line("m", ts, all[ts]);
    }
    REQUIRE(database.ingest(body).ok());
    if (part < 2) REQUIRE(database.flush().ok());
  }
  const auto text = database.readText("m");
  REQUIRE(text.ok());
  EXPECT(text.value().size() > 3 * (std::size_t{256} << 10));
  EXPECT(isSame(parsePoints(text.value()), all));
  EXPECT(text.value().front() == '[' && text.value().back() == ']');
  EXPECT(text.value().find("},]") == std::string::npos);
  EXPECT(text.value().find("}{") == std::string::npos);
}

TEST("a failed WAL sync fails the request, stops writing and reports the reason") {
  FaultyFileSystem fs(posixFileSystem());
  Database database(fs);
  REQUIRE(database.open().ok());
  REQUIRE(database.ingest(line("m", 1, 1)).ok());
  fs.failAt(Operation::kSync, 1);
  EXPECT(database.ingest(line("m", 2, 2)).code() == StatusCode::kStorageUnavailable);
  EXPECT(isSame(database.read("m"), {{1, 1}}));
  // The disk works again, but the database stays read-only.
  EXPECT(database.ingest(line("m", 3, 3)).code() == StatusCode::kStorageUnavailable);
  EXPECT(database.engine().admit().code() == StatusCode::kStorageUnavailable);
  EXPECT(joined(database.engine().degradedReasons()).find("sync") != std::string::npos);
  EXPECT(!database.flush().ok());
  EXPECT(isSame(database.read("m"), {{1, 1}}));
  database.close();
  fs.losePower();
  REQUIRE(database.open().ok());
  EXPECT(isSame(database.read("m"), {{1, 1}}));
  EXPECT(database.engine().degradedReasons().empty());
  EXPECT(database.ingest(line("m", 3, 3)).ok());
  EXPECT(isSame(database.read("m"), {{1, 1}, {3, 3}}));
}

TEST("a flush after a failed sync of the very first request is answered") {
  FaultyFileSystem fs(posixFileSystem());
  Database database(fs);
  REQUIRE(database.open().ok());
  fs.failAt(Operation::kSync, 1);
  EXPECT(!database.ingest(line("m", 1, 1)).ok());
  std::promise<void> answered;
  database.engine().flush([&answered](const Status&) { answered.set_value(); });
  auto answer = answered.get_future();
  EXPECT(answer.wait_for(std::chrono::seconds(2)) == std::future_status::ready);
  database.close();
}

TEST("every waiting request is answered when the sync fails") {
  FaultyFileSystem fs(posixFileSystem());
  Database database(fs);
  REQUIRE(database.open().ok());
  fs.failFrom(Operation::kSync, 1);
  const auto state = ParserState::make(database.engine().indexes(), 0);
  std::vector<std::future<bool>> answers;
  for (int i = 0; i < 50; ++i) {
    const auto parser = makeNdjsonParser(*state, {});
    REQUIRE(parser->write(asBytes(line("m", i, i))).ok());
    auto answer = std::make_shared<std::promise<bool>>();
    answers.push_back(answer->get_future());
    database.engine().commit(parser->take(), 0, [answer](const Result<IngestReport>& report) {
      answer->set_value(report.ok());
    });
  }
  for (auto& answer : answers) EXPECT(!answer.get());
  EXPECT(database.stat("queue_depth") == 0);
  EXPECT(database.readText("m").value() == "[]");
}

TEST("a full disk refuses a whole request, and the next one is stored once there is space") {
  FaultyFileSystem fs(posixFileSystem());
  Database database(fs);
  REQUIRE(database.open().ok());
  REQUIRE(database.ingest(line("m", 1, 1)).ok());
  const std::string wal = database.path("wal/") + database.files("wal").back();
  const ByteBuffer before = contentOf(wal);
  for (const std::uint64_t room : {0, 1, 17, 30}) {
    fs.setSpace(room);
    EXPECT(database.ingest(line("m", 2, 2) + line("new", 2, 2)).code() ==
           StatusCode::kStorageUnavailable);
    EXPECT(contentOf(wal) == before);
  }
  EXPECT(!database.engine().degradedReasons().empty());
  EXPECT(database.engine().admit().ok());
  EXPECT(isSame(database.read("m"), {{1, 1}}));
  EXPECT(database.readText("new").value() == "[]");
  fs.heal();
  REQUIRE(database.ingest(line("m", 3, 3) + line("new", 3, 3)).ok());
  EXPECT(database.engine().degradedReasons().empty());
  REQUIRE(database.open().ok());
  EXPECT(isSame(database.read("m"), {{1, 1}, {3, 3}}));
  EXPECT(isSame(database.read("new"), {{3, 3}}));
}

TEST("a full disk uses the reserve to flush the WAL, and accepts writes when there is space") {
  FaultyFileSystem fs(posixFileSystem());
  Database database(fs);
  database.options.reserveBytes = 64 << 10;
  REQUIRE(database.open().ok());
  const bool hasReserve = posixFileSystem().exists(database.path("RESERVE")).value();
  for (int i = 0; i < 100; ++i) REQUIRE(database.ingest(line("m", i, i)).ok());
  fs.setSpace(0);
  EXPECT(database.ingest(line("m", 1000, 1)).code() == StatusCode::kStorageUnavailable);
  if (!hasReserve) return;  // This machine's file system has no fallocate.
  for (int i = 0; i < 200 && database.stat("segments") == 0; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  EXPECT(database.stat("segments") == 1);
  EXPECT(database.files("wal").size() == 1);
  EXPECT(database.stat("writes_blocked") == 1);
  EXPECT(!posixFileSystem().exists(database.path("RESERVE")).value());
  EXPECT(database.read("m")->size() == 100);
  EXPECT(database.ingest(line("m", 1000, 1)).code() == StatusCode::kStorageUnavailable);
  fs.heal();
  for (int i = 0; i < 200 && database.stat("writes_blocked") == 1; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  }
  EXPECT(posixFileSystem().exists(database.path("RESERVE")).value());
  EXPECT(database.ingest(line("m", 1000, 1)).ok());
  REQUIRE(database.open().ok());
  EXPECT(database.read("m")->size() == 101);
}

TEST("a full disk is forgotten when there is space, even without writes") {
  FaultyFileSystem fs(posixFileSystem());
  Database database(fs);
  REQUIRE(database.open().ok());
  fs.setSpace(0);
  EXPECT(!database.ingest(line("m", 1, 1)).ok());
  EXPECT(database.stat("writes_blocked") == 1);
  fs.heal();
  for (int i = 0; i < 200 && database.stat("writes_blocked") == 1; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  }
  EXPECT(database.stat("writes_blocked") == 0);
  EXPECT(database.engine().degradedReasons().empty());
}

TEST("a descriptor of a refused request is logged with the next one") {
  FaultyFileSystem fs(posixFileSystem());
  Database database(fs);
  REQUIRE(database.open().ok());
  fs.setSpace(0);
  EXPECT(!database.ingest("{\"metric\":\"m\",\"ts\":1,\"value\":1,\"unit\":\"C\"}\n").ok());
  fs.heal();
  REQUIRE(database.ingest("\n").ok());
  REQUIRE(database.index()->descriptorOf("m").unit == "C");
  REQUIRE(database.open().ok());
  EXPECT(database.index()->descriptorOf("m").unit == "C");
}

TEST("a flush that fails on a full disk loses nothing and succeeds when there is space") {
  for (const std::uint64_t room : {0, 30, 60, 150}) {
    FaultyFileSystem fs(posixFileSystem());
    Database database(fs);
    REQUIRE(database.open().ok());
    REQUIRE(database.ingest(line("m", 1, 1)).ok());
    fs.setSpace(room);
    EXPECT(!database.flush().ok());
    EXPECT(!database.engine().degradedReasons().empty());
    EXPECT(isSame(database.read("m"), {{1, 1}}));
    fs.heal();
    EXPECT(database.flush().ok());
    EXPECT(database.engine().degradedReasons().empty());
    REQUIRE(database.ingest(line("m", 2, 2)).ok());
    REQUIRE(database.open().ok());
    EXPECT(isSame(database.read("m"), {{1, 1}, {2, 2}}));
  }
}

TEST("a requested flush is tried at once, however often earlier ones failed") {
  FaultyFileSystem fs(posixFileSystem());
  Database database(fs);
  REQUIRE(database.open().ok());
  REQUIRE(database.ingest(line("m", 1, 1)).ok());
  fs.failFrom(Operation::kRename, 1);
  const auto begin = std::chrono::steady_clock::now();
  for (int i = 0; i < 5; ++i) EXPECT(!database.flush().ok());
  fs.heal();
  EXPECT(database.flush().ok());
  EXPECT(std::chrono::steady_clock::now() - begin < std::chrono::seconds(5));
  EXPECT(database.engine().degradedReasons().empty());
  EXPECT(isSame(database.read("m"), {{1, 1}}));
}

TEST("a WAL sync is counted only if there was something to sync") {
  Database database;
  REQUIRE(database.open().ok());
  std::this_thread::sleep_for(std::chrono::milliseconds(250));
  EXPECT(database.stat("wal_sync_total") == 0);
  REQUIRE(database.ingest(line("m", 1, 1)).ok());
  REQUIRE(database.ingest(line("m", 2, 2)).ok());
  std::this_thread::sleep_for(std::chrono::milliseconds(250));
  EXPECT(database.stat("wal_sync_total") == 2);
}

TEST("the WAL bytes equal the size of its files, and shrink after a flush") {
  FaultyFileSystem fs(posixFileSystem());
  Database database(fs);
  const auto bytes = [&database] {
    double sum = 0;
    for (const auto& file : std::filesystem::directory_iterator(database.path("wal"))) {
      sum += static_cast<double>(file.file_size());
    }
    return sum;
  };
  REQUIRE(database.open().ok());
  for (int i = 0; i < 3; ++i) {
    REQUIRE(database.ingest(line("m", i, i)).ok());
    EXPECT(database.stat("wal_disk_bytes") == bytes());
  }
  const double full = bytes();
  fs.failAt(Operation::kRemove, 1);
  REQUIRE(database.flush().ok());
  EXPECT(database.stat("wal_disk_bytes") == bytes() && bytes() > full);
  REQUIRE(database.ingest(line("m", 9, 9)).ok());
  REQUIRE(database.open().ok());
  EXPECT(database.stat("wal_disk_bytes") == bytes());
  REQUIRE(database.flush().ok());
  EXPECT(database.stat("wal_disk_bytes") == bytes() && bytes() < full);
}

TEST("a request that would exceed the series limit creates none of its series") {
  Database database;
  database.options.series.seriesMax = 3;
  REQUIRE(database.open().ok());
  REQUIRE(database.ingest(line("a", 1, 1)).ok());
  const std::string tooMany = line("b", 1, 1) + line("c", 1, 1) + line("d", 1, 1);
  EXPECT(database.ingest(tooMany).code() == StatusCode::kSeriesLimit);
  REQUIRE(database.ingest(line("e", 1, 1) + line("f", 1, 1) + line("a", 2, 2)).ok());
  REQUIRE(database.open().ok());
  EXPECT(database.index()->createdCount() == 3);
  EXPECT(isSame(database.read("a"), {{1, 1}, {2, 2}}));
  EXPECT(database.readText("b").value() == "[]");
}

TEST("a lenient request skips the lines that would exceed the series limit") {
  Database database;
  database.options.series.seriesPerMetricMax = 1;
  REQUIRE(database.open().ok());
  const auto other = [](const char* host) {
    return "{\"metric\":\"m\",\"labels\":{\"host\":\"" + std::string(host) +
           "\"},\"ts\":1,\"value\":1}\n";
  };
  const Status refused = database.ingest(other("a") + other("b"));
  EXPECT(refused.code() == StatusCode::kSeriesLimit);
  EXPECT(refused.message().find("line 2") == 0);
  REQUIRE(database.ingest(other("a") + other("b") + line("n", 1, 1), true).ok());
  EXPECT(database.index()->createdCount() == 2);
  EXPECT(database.stat("ingest_rejected_total") == 1);
}

TEST("definitions of very many new series are split into several records") {
  Database database;
  REQUIRE(database.open().ok());
  std::string text;
  const std::string label(12000, 'x');
  for (int i = 0; i < 1600; ++i) {
    const std::string number = std::to_string(i);
    text += "{\"metric\":\"m\",\"labels\":{\"i\":\"" + number + "\",\"l\":\"" + label +
            "\"},\"ts\":1,\"value\":" + number + "}\n";
  }
  REQUIRE(database.ingest(text).ok());
  REQUIRE(database.open().ok());
  EXPECT(database.index()->createdCount() == 1600);
  EXPECT(database.stat("memtable_samples") == 1600);
}

TEST("a label with empty text is ignored in samples and in selectors") {
  Database database;
  REQUIRE(database.open().ok());
  const auto store = [&](const char* labels, int ts) {
    return database.ingest(R"({"metric":"m","ts":)" + std::to_string(ts) +
                           R"(,"value":1,"labels":)" + labels + "}\n");
  };
  REQUIRE(store(R"({"a":"","b":"x"})", 1).ok());
  REQUIRE(store(R"({"b":"x"})", 2).ok());
  REQUIRE(database.ingest(R"({"series":"m","ts":3,"value":1,"tags":{"b":"x","c":""}})").ok());
  EXPECT(database.index()->createdCount() == 1);
  EXPECT(database.read("m") == (Points{{1, 1}, {2, 1}, {3, 1}}));
  Selector asked;
  asked.name = "m";
  asked.labels = {{"a", ""}, {"b", "x"}};
  EXPECT(selectSeries(*database.index(), asked).value() == SeriesRef{0});
}
