// Sixty days of the engine, in seconds, against the same days of chosen plans applied to a model
// (compaction/year_test.cc simulates a year).
#include <cmath>
#include <set>

#include "hand_time.h"
#include "storage/compaction/choose.h"
#include "storage/compaction/compaction_model.h"
#include "storage/engine/engine_fixture.h"

using namespace seriesdb;
using namespace seriesdb::test;

namespace {

constexpr TimestampUnit kUnit = TimestampUnit::kMilliseconds;
constexpr Duration kHour = 3'600'000;
constexpr Duration kDay = 24 * kHour;
constexpr Duration kStep = 600'000;  // Between two samples of a series.
constexpr Duration kKeep = 30 * kDay;
constexpr int kDays = 60;
constexpr int kFlushHours = 3;
constexpr std::uint64_t kSeries = 10;
constexpr std::uint64_t kFlushSamples = kSeries * kFlushHours * (kHour / kStep);
constexpr Timestamp kStart = 20'000 * kDay;

// The state after each hour, and the number of samples written until then.
class Tally {
 public:
  void see(std::uint64_t number, std::uint64_t samples) {
    if (seen_.insert(number).second) written_ += samples;
  }
  double times() const { return static_cast<double>(written_) / (kDays * 8.0 * kFlushSamples); }
  std::uint64_t most = 0;
  std::uint64_t last = 0;
  Timestamp oldest = 0;

 private:
  std::set<std::uint64_t> seen_;
  std::uint64_t written_ = 0;
};

// The same days, computed by the choice alone.
class ChosenDays {
 public:
  ChosenDays() {
    CompactionState& state = model_.state;
    state.classes = {makeClass(1, 1, kKeep, kStart, kUnit)};
    state.version = 1;
    state.wall = kStart;
  }
  void flush(TimeRange time) { model_.flush(time, kFlushSamples, 1000); }
  void hour() {
    model_.advance(kHour);
    model_.state.retentionClock = model_.state.wall;
    model_.state.isRetentionDone = false;
  }
  void settle() {
    for (const CompactionSegment& one : model_.state.segments) tally.see(one.number, one.samples);
    for (;;) {
      const CompactionPlan plan = chooseCompaction(model_.state);
      if (plan.kind == CompactionKind::kNone) break;
      model_.carryOut(plan);
    }
    for (const CompactionSegment& one : model_.state.segments) tally.see(one.number, one.samples);
    tally.last = model_.state.segments.size();
    tally.most = std::max(tally.most, tally.last);
  }
  Tally tally;

 private:
  CompactionModel model_;
};

class EngineDays {
 public:
  EngineDays() {
    database_.options.time = &time_;
    database_.options.retention =
        std::make_shared<const RetentionRules>(std::vector<RetentionRule>{{"*", kKeep}});
    REQUIRE(database_.open().ok());
  }
  Timestamp now() const { return time_.wallMs(); }
  void flush(TimeRange range) {
    std::string body;
    for (Timestamp ts = range.start; ts <= range.end; ts += kStep) {
      for (std::uint64_t i = 0; i < kSeries; ++i) {
        body += line("m" + std::to_string(i), ts, static_cast<double>(ts / kStep % 100));
      }
    }
    EXPECT(database_.ingest(body).ok() && database_.flush().ok());
  }
  void hour() { time_.advance(kHour); }
  void settle() {
    look();
    EXPECT(database_.compactDue().ok());
    look();
    tally.last = static_cast<std::uint64_t>(database_.stat("segments"));
    tally.most = std::max(tally.most, tally.last);
    tally.oldest = static_cast<Timestamp>(database_.stat("segment_oldest_seconds") * 1000);
  }
  std::size_t fileCount() const { return database_.segmentPaths().size(); }
  std::size_t pointCount() { return database_.read("m0")->size(); }
  Tally tally;

 private:
  void look() {
    const auto view = database_.engine().pinView(kAllTime);
    REQUIRE(view.ok());
    for (const auto& one : view.value()->segments) {
      tally.see(one->facts().number, one->facts().sampleCount);
    }
  }

  HandTime time_{kStart};
  Database database_;
};

bool isNear(double a, double b) { return std::abs(a - b) <= 0.2 * std::max(a, b); }

}  // namespace

LONE_TEST("sixty days of the engine match the simulated plans, and thirty days are kept") {
  EngineDays engine;
  ChosenDays chosen;
  for (int hour = 1; hour <= kDays * 24; ++hour) {
    engine.hour();
    chosen.hour();
    if (hour % kFlushHours != 0) continue;
    const TimeRange time{engine.now() - kFlushHours * kHour, engine.now() - kStep};
    engine.flush(time);
    chosen.flush(time);
    engine.settle();
    chosen.settle();
    EXPECT(isNear(static_cast<double>(engine.tally.last), static_cast<double>(chosen.tally.last)));
  }
  std::printf(
      "    engine: %.2f times, at most %llu segments, %llu at the end; chosen: %.2f, %llu, "
      "%llu\n",
      engine.tally.times(), static_cast<unsigned long long>(engine.tally.most),
      static_cast<unsigned long long>(engine.tally.last), chosen.tally.times(),
      static_cast<unsigned long long>(chosen.tally.most),
      static_cast<unsigned long long>(chosen.tally.last));
  EXPECT(isNear(engine.tally.times(), chosen.tally.times()));
  EXPECT(engine.fileCount() == engine.tally.last);
  // Between the retention and a slot of a day and an hour more; passes are 3 hours apart here.
  EXPECT(engine.tally.oldest <= engine.now() - kKeep);
  EXPECT(engine.tally.oldest >= engine.now() - kKeep - kDay - kFlushHours * kHour);
  EXPECT(engine.pointCount() >= static_cast<std::size_t>(kKeep / kStep));
}
