// Retention through the engine, with clocks that the test owns.
#include <algorithm>
#include <array>
#include <random>

#include "storage/ledger/ledger_fixture.h"
#include "timed_database.h"

using namespace seriesdb;
using namespace seriesdb::test;

namespace {

void expectCpuForgotten(TimedDatabase& timed, int oldDays) {
  const auto old = static_cast<std::size_t>(oldDays);
  EXPECT(!timed.isFound("cpu.old") && timed.database.read("cpu.old")->empty());
  EXPECT((timed.database.read("cpu.both") == Points{{kBegin, 1}}));
  EXPECT(timed.database.read("mem.old")->size() == old);
  EXPECT(timed.database.read("mem.both")->size() == old + 1);
  const auto pinned = timed.database.engine().index();
  const SeriesIndex& index = *pinned;
  const auto ref = index.findByName("cpu.both");
  REQUIRE(ref.ok() && ref.value());
  EXPECT(index.boundsOf(*ref.value())->start == kBegin);
}

}  // namespace

TEST("expired samples leave the disk and discovery, also after a restart") {
  TimedDatabase timed;
  timed.setRules({{"cpu.*", 30 * kDayMs}});
  fillOld(timed, 1);
  REQUIRE(annotate(timed.database, "of what is gone").ok());
  EXPECT(timed.database.compact().ok());
  expectCpuForgotten(timed, 1);
  // Two classes of live time, one of old time.
  EXPECT(timed.database.stat("segments") == 3 && timed.fileCount() == 3);
  EXPECT(timed.database.stat("retention_dropped_segments_total") == 1);
  EXPECT(timed.database.stat("retention_dropped_samples_total") == 2);
  EXPECT(timed.database.stat("retention_dropped_bytes_total") > 0);
  EXPECT(timed.database.stat("retention_clock_seconds") == kBegin / 1000);
  EXPECT(timed.database.stat("segment_oldest_seconds") == (kBegin - 100 * kDayMs) / 1000);
  REQUIRE(timed.open().ok());
  expectCpuForgotten(timed, 1);
  const std::string notes = textOf(*openAnnotations(timed.database.engine(), {}));
  EXPECT(notes.find("of what is gone") != std::string::npos);
  EXPECT(timed.database.stat("retention_clock_seconds") == kBegin / 1000);
  // A series that was forgotten may come back.
  REQUIRE(timed.live("cpu.old").ok());
  EXPECT(timed.isFound("cpu.old") && timed.database.read("cpu.old")->size() == 1);
}

TEST("without rules nothing is dropped, and the retention clock stays unset") {
  TimedDatabase timed;
  fillOld(timed, 2);
  EXPECT(timed.database.compact().ok());
  timed.time.advance(10 * kYearMs);
  REQUIRE(timed.live("cpu.both").ok());
  EXPECT(timed.database.compact().ok());
  EXPECT(timed.database.read("cpu.old")->size() == 2);
  EXPECT(timed.database.stat("retention_clock_seconds") == 0);
}

TEST("an hourly pass drops a bounded part and counts what it deferred") {
  TimedDatabase timed;
  timed.setRules({{"cpu.*", 30 * kDayMs}});
  fillOld(timed, 20);
  EXPECT(timed.database.compact().ok());
  const double left = timed.database.stat("retention_deferred_total");
  EXPECT(left > 0);
  std::size_t before = timed.database.read("cpu.old")->size();
  EXPECT(before > 0 && before < 20);
  EXPECT(timed.database.compact().ok());
  EXPECT(timed.database.read("cpu.old")->size() == before);
  while (before > 0) {
    timed.time.advance(kHourMs);
    REQUIRE(timed.live("mem.both").ok());
    EXPECT(timed.compactDue().ok());
    const std::size_t after = timed.database.read("cpu.old")->size();
    REQUIRE(after < before);
    before = after;
  }
  EXPECT(!timed.isFound("cpu.old") && timed.isFound("mem.old"));
}

TEST("a new rule drops expired samples of its class; without rules again the rest stays") {
  TimedDatabase timed;
  fillOld(timed, 1);
  EXPECT(timed.database.compact().ok());
  EXPECT(timed.isFound("cpu.old") && timed.database.stat("segments") == 2);
  timed.setRules({{"cpu.*", 30 * kDayMs}});
  // Old segments have series of both classes; half of each has expired.
  EXPECT(timed.compactDue().ok());
  expectCpuForgotten(timed, 1);
  EXPECT(timed.database.stat("retention_dropped_samples_total") == 2);
  REQUIRE(timed.open().ok());
  expectCpuForgotten(timed, 1);
  // Without rules again, the remaining samples stay.
  timed.setRules({});
  timed.time.advance(kYearMs);
  REQUIRE(timed.live("mem.both").ok());
  EXPECT(timed.database.compact().ok());
  EXPECT(timed.isFound("cpu.both") && timed.database.read("mem.old")->size() == 1);
}

TEST("changed rules start a new pass at once") {
  TimedDatabase timed;
  timed.setRules({{"cpu.*", 30 * kDayMs}});
  fillOld(timed, 1);
  EXPECT(timed.database.compact().ok());
  expectCpuForgotten(timed, 1);
  timed.setRules({{"*", 30 * kDayMs}});
  EXPECT(timed.compactDue().ok());
  EXPECT(!timed.isFound("mem.old") && timed.database.read("mem.both")->size() == 1);
}

TEST("a rule with labels drops only the matching series of a metric, also from shared segments") {
  TimedDatabase timed;
  timed.setRules({{"*", 30 * kDayMs, {{"env", "dev"}}}});
  REQUIRE(timed.open().ok());
  const auto sample = [](std::string_view env, Timestamp ts) {
    return "{\"metric\":\"m\",\"labels\":{\"env\":\"" + std::string(env) +
           "\",\"host\":\"1\"},\"ts\":" + std::to_string(ts) + ",\"value\":1}\n";
  };
  for (const auto* env : {"dev", "prod"}) {
    REQUIRE(timed.database.ingest(sample(env, kBegin - 100 * kDayMs)).ok());
    REQUIRE(timed.database.ingest(sample(env, kBegin)).ok());
  }
  REQUIRE(timed.database.flush().ok() && timed.database.compact().ok());
  const auto pinned = timed.database.engine().index();
  const SeriesIndex& index = *pinned;
  const auto start = [&](std::string_view env) {
    const Label labels[] = {{"env", env}, {"host", "1"}};
    return index.boundsOf(index.findExact("m", labels).value())->start;
  };
  EXPECT(start("dev") == kBegin && start("prod") == kBegin - 100 * kDayMs);
  // Other labels from now on: samples stored under the old classes follow them.
  timed.setRules({{"m", 30 * kDayMs, {{"env", "prod"}, {"host", "1"}}}});
  REQUIRE(timed.compactDue().ok());
  EXPECT(start("prod") == kBegin);
}

TEST("a wall clock that jumps ten years drops nothing while clients send true times") {
  TimedDatabase timed;
  timed.setRules({{"*", 30 * kDayMs}});
  REQUIRE(timed.open().ok());
  Points expected;
  for (int hour = 0; hour < 24; ++hour) {
    const Timestamp truth = kBegin + hour * kHourMs;
    expected[truth] = hour;
    REQUIRE(timed.database.ingest(line("m", truth, hour)).ok() && timed.database.flush().ok());
    EXPECT(timed.compactDue().ok());
    timed.time.advance(kHourMs);
    if (hour == 5) timed.time.setWall(kBegin + 10 * kYearMs);
  }
  EXPECT(timed.database.read("m") == expected);
  EXPECT(timed.database.stat("retention_jump_total") == 0);
  EXPECT(timed.database.stat("retention_clock_seconds") <= (kBegin + kDayMs) / 1000);
}

TEST("if both clocks jump, it is reported for a day, and an hour drops little") {
  TimedDatabase timed;
  timed.setRules({{"*", 30 * kDayMs}});
  REQUIRE(timed.open().ok());
  for (int day = 0; day < 40; ++day) {
    const Timestamp ts = kBegin - 39 * kDayMs + day * kDayMs;
    REQUIRE(timed.database.ingest(line("m", ts, day)).ok());
  }
  REQUIRE(timed.database.flush().ok() && timed.database.compact().ok());
  const std::size_t before = timed.database.read("m")->size();
  timed.time.advance(kHourMs);
  timed.time.setWall(kBegin + 10 * kYearMs);
  REQUIRE(timed.live("m").ok());
  EXPECT(timed.compactDue().ok());
  EXPECT(timed.database.stat("retention_jump_total") == 1);
  EXPECT(timed.database.stat("retention_deferred_total") > 0);
  EXPECT(timed.database.read("m")->size() + 6 > before);
  const auto isTold = [&timed] { return timed.isTold("the clock of retention"); };
  EXPECT(isTold());
  timed.time.advance(24 * kHourMs - 1);
  EXPECT(timed.compactDue().ok() && isTold());
  timed.time.advance(1);
  EXPECT(timed.compactDue().ok() && !isTold());
}

TEST("dropping a segment does not reveal overwritten samples of an older one") {
  TimedDatabase timed;
  timed.setRules({{"short", 30 * kDayMs}});
  REQUIRE(timed.open().ok());
  const Timestamp old = kBegin - 29 * kDayMs;
  // The same times twice: overwritten values must never be visible.
  for (const double value : {1.0, 2.0}) {
    for (const auto* metric : {"short", "long"}) {
      REQUIRE(timed.database.ingest(line(metric, old, value)).ok());
    }
    REQUIRE(timed.live("long").ok() && timed.database.flush().ok());
    timed.time.advance(kHourMs);
  }
  for (int day = 0; day < 4; ++day) {
    EXPECT(timed.compactDue().ok());
    const auto points = timed.database.read("short");
    EXPECT(points->empty() || points->at(old) == 2.0);
    timed.time.advance(kDayMs);
    REQUIRE(timed.live("long").ok());
  }
  EXPECT(timed.database.compact().ok());
  EXPECT(!timed.isFound("short") && timed.database.read("long")->at(old) == 2.0);
}

TEST("a damaged segment past its retention is dropped, and queries are answered again") {
  TimedDatabase timed;
  timed.setRules({{"*", 30 * kDayMs}});
  fillOld(timed, 1);
  // Excludes the live samples, which come in a segment of their own.
  EXPECT(timed.database.compact().ok());
  REQUIRE(timed.database.ingest(line("m", kBegin - 29 * kDayMs, 1)).ok());
  REQUIRE(timed.database.flush().ok() && timed.database.compact().ok());
  const std::string path =
      timed.database.segmentPath(timed.manifest().segments.back().number);
  timed.database.close();
  ByteBuffer bytes = contentOf(path);
  bytes.back() ^= 1;
  overwrite(path, bytes);
  REQUIRE(timed.open().ok());
  EXPECT(timed.database.stat("segments_quarantined") == 1);
  EXPECT(timed.database.readText("m").status().code() == StatusCode::kStorageCorrupt);
  for (int day = 0; day < 3; ++day) {
    timed.time.advance(kDayMs);
    REQUIRE(timed.live("mem.both").ok());
    EXPECT(timed.compactDue().ok());
  }
  EXPECT(timed.database.stat("segments_quarantined") == 0);
  EXPECT(timed.database.readText("m").ok());
  EXPECT(timed.database.engine().degradedReasons().empty());
  EXPECT(timed.fileCount() == static_cast<std::size_t>(timed.database.stat("segments")));
}

TEST("a failed file operation of a drop loses no retained sample") {
  for (const Operation operation : kOperations) {
    bool isReached = true;
    for (std::uint64_t nth = 1; isReached && nth < 40; ++nth) {
      FaultyFileSystem fs(posixFileSystem());
      TimedDatabase timed(fs);
      timed.setRules({{"cpu.*", 102 * kDayMs}});
      fillOld(timed, 1);
      REQUIRE(timed.database.compact().ok());
      timed.time.advance(4 * kDayMs);
      REQUIRE(timed.live("mem.both").ok());
      const std::uint64_t before = fs.count(operation);
      fs.failAt(operation, nth);
      const bool isDone = timed.compactDue().ok();
      isReached = fs.count(operation) >= before + nth;
      if (!isReached) EXPECT(isDone);
      const auto check = [&timed] {
        EXPECT(timed.database.read("mem.both")->size() == 3);
        EXPECT(timed.database.read("cpu.both")->contains(kBegin));
        EXPECT(timed.isFound("cpu.old") == !timed.database.read("cpu.old")->empty());
      };
      check();
      fs.heal();
      if (nth % 2 == 0) {
        timed.database.close();
        fs.losePower();
      }
      REQUIRE(timed.open().ok());
      check();
      // The clock moves once an hour has passed here.
      timed.time.advance(kHourMs);
      REQUIRE(timed.live("cpu.both").ok());
      EXPECT(timed.compactDue().ok());
      EXPECT(!timed.isFound("cpu.old"));
      EXPECT(timed.fileCount() == static_cast<std::size_t>(timed.database.stat("segments")));
    }
    EXPECT(!isReached);
  }
}

namespace {

constexpr std::size_t kMetrics = 5;

// Random operations against the samples that the database must show, and may show. One of two
// clocks is right.
class RetentionModel {
 public:
  explicit RetentionModel(std::uint64_t seedOfRun) : random_(seedOfRun), isWallRight_(below(2)) {
    timed_.database.options.compaction.factor = 2 + static_cast<std::uint32_t>(below(3));
    if (below(3) == 0) timed_.database.options.compaction.segmentBytesMax = 4096;
    changeRules();
    REQUIRE(timed_.open().ok());
  }

  // Returns the number of samples that retention removed since the last start.
  double run(int steps) {
    for (int i = 0; i < steps; ++i) {
      step();
      check();
    }
    EXPECT(timed_.database.flush().ok() && timed_.database.compact().ok());
    check();
    EXPECT(timed_.fileCount() == static_cast<std::size_t>(timed_.database.stat("segments")));
    return timed_.database.stat("retention_dropped_samples_total");
  }

 private:
  std::uint64_t below(std::uint64_t count) { return random_() % count; }
  static std::string nameOf(std::size_t number) { return "m" + std::to_string(number); }

  void step() {
    const std::uint64_t choice = below(20);
    if (choice == 0) return removeSome();
    if (choice == 1) return changeRules();
    if (choice < 6) return pass();
    if (choice < 12) return ingest();
    Status done;
    if (choice == 12) {
      done = timed_.open();
    } else if (choice == 13) {
      done = timed_.database.compact().status();
    } else {
      done = choice < 17 ? timed_.database.flush() : timed_.compactDue().status();
    }
    EXPECT(done.ok());
  }

  void changeRules() {
    constexpr Duration kKeeps[] = {kHourMs * 5, kDayMs, 3 * kDayMs, 20 * kDayMs, kForever};
    rules_.clear();
    for (std::uint64_t left = below(4); left > 0; --left) {
      rules_.push_back({below(4) == 0 ? "*" : nameOf(below(kMetrics)), kKeeps[below(5)]});
    }
    timed_.setRules(rules_);
  }

  void pass() {
    const auto by = static_cast<Duration>(below(below(4) == 0 ? 2 * kDayMs : 2 * kHourMs));
    truth_ += by;
    timed_.time.advance(by);
    if (isWallRight_ || below(6) > 0) return;
    const auto wrong = static_cast<Duration>(below(8000 * kDayMs)) - 4000 * kDayMs;
    timed_.time.setWall(below(2) == 0 ? truth_ : truth_ + wrong);
  }

  void ingest() {
    std::string body;
    for (std::uint64_t left = 1 + below(40); left > 0; --left) {
      const std::size_t metric = below(kMetrics);
      Timestamp ts = truth_ - static_cast<Duration>(below(kHourMs));
      if (below(6) == 0) ts -= static_cast<Duration>(below(30 * kDayMs));
      // Clients with wrong clocks.
      if (isWallRight_ && below(20) == 0) ts += static_cast<Duration>(below(4000 * kDayMs));
      const auto value = static_cast<double>(++lastValue_);
      points_[metric][ts] = value;
      body += line(nameOf(metric), ts, value);
    }
    EXPECT(timed_.database.ingest(body).ok());
  }

  void removeSome() {
    const std::size_t metric = below(kMetrics);
    const auto ref = timed_.database.index()->findByName(nameOf(metric));
    if (!ref.ok() || !ref.value()) return;
    const Timestamp start = truth_ - static_cast<Duration>(below(5 * kDayMs));
    const TimeRange range{start, start + static_cast<Duration>(below(2 * kDayMs))};
    const SeriesId id = timed_.database.index()->idOf(*ref.value());
    EXPECT(timed_.database.remove({id}, range).ok());
    Points& all = points_[metric];
    all.erase(all.lower_bound(range.start), all.upper_bound(range.end));
  }

  // Each visible sample is the last one written. Each missing sample has expired, and stays
  // missing.
  void check() {
    const RetentionRules rules(rules_);
    const Duration slack = isWallRight_ ? 0 : kDayMs;
    for (std::size_t metric = 0; metric < kMetrics; ++metric) {
      const auto read = timed_.database.read(nameOf(metric));
      REQUIRE(read.has_value());
      Points& expected = points_[metric];
      for (const auto& [ts, value] : *read) {
        const auto found = expected.find(ts);
        EXPECT(found != expected.end() && found->second == value);
      }
      const Duration keep = rules.keepOf(nameOf(metric)).value();
      std::erase_if(expected, [&](const auto& one) {
        if (read->contains(one.first)) return false;
        EXPECT(keep != kForever && one.first < truth_ + slack - keep);
        return true;
      });
      checkBounds(metric, *read);
    }
  }

  void checkBounds(std::size_t metric, const Points& read) {
    const auto pinned = timed_.database.engine().index();
    const SeriesIndex& index = *pinned;
    const auto ref = index.findByName(nameOf(metric));
    const auto bounds =
        ref.ok() && ref.value() ? index.boundsOf(*ref.value()) : std::optional<TimeRange>();
    EXPECT(bounds.has_value() == !read.empty());
    if (!bounds || read.empty()) return;
    EXPECT(bounds->start == read.begin()->first && bounds->end == read.rbegin()->first);
  }

  std::mt19937_64 random_;
  const bool isWallRight_;
  TimedDatabase timed_;
  Timestamp truth_ = kBegin;
  std::array<Points, kMetrics> points_;
  std::vector<RetentionRule> rules_;
  std::uint64_t lastValue_ = 0;
};

}  // namespace

TEST("retention never drops samples within their retention while one clock is right") {
  double taken = 0;
  // Sanitizer builds have few rounds, none of which may remove a sample.
  for (std::uint64_t round = 0; round < rounds<std::uint64_t>(24) || (taken == 0 && round < 24);
       ++round) {
    taken += RetentionModel(seed() + round).run(150);
  }
  EXPECT(taken > 0);
}
