// Simulated years of five loads: the bytes and files that compaction writes and leaves. The models
// give the bytes per sample by the number of flushes merged in a slot, measured on segments of
// these loads. The asserted figures are the rules' own.
#include <cmath>
#include <cstdio>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "compaction_model.h"
#include "compaction_text.h"
#include "harness.h"

using namespace seriesdb;
using namespace seriesdb::test;

namespace {

// Bytes per sample in segments by the number of merged flushes; interpolated by the logarithm.
struct ByteModel {
  double flushSamples = 0;  // The samples of one flush in one slot.
  std::vector<std::pair<double, double>> tiers;
  double closed = 0;

  double bytesOf(double samples, CompactionForm form) const {
    if (form == CompactionForm::kFinal) return closed;
    const double flushes = samples / flushSamples;
    if (flushes <= tiers.front().first) return tiers.front().second;
    for (std::size_t i = 1; i < tiers.size(); ++i) {
      const auto& [low, atLow] = tiers[i - 1];
      const auto& [high, atHigh] = tiers[i];
      if (flushes > high) continue;
      return atLow + (atHigh - atLow) * std::log(flushes / low) / std::log(high / low);
    }
    return tiers.back().second;
  }
};

// A running load, and its measurements.
class Simulation {
 public:
  explicit Simulation(ByteModel bytes, std::uint64_t checkEvery = 1)
      : bytes_(std::move(bytes)), checkEvery_(checkEvery) {
    model.bytesOf = [this](const CompactionSegment& segment, CompactionForm form, double) {
      samplesWritten_ += segment.samples;
      const auto samples = static_cast<double>(segment.samples);
      return static_cast<std::uint64_t>(samples * bytes_.bytesOf(samples, form)) + 512;
    };
  }

  CompactionModel model;
  std::size_t segmentsMax = 0;
  std::size_t openMax = 0;  // The segments that are not final.

  void flush(TimeRange time, std::uint64_t samples) {
    samples_ += samples;
    samplesWritten_ += samples;
    const double each = bytes_.tiers.front().second;
    model.flush(time, samples, static_cast<std::uint64_t>(static_cast<double>(samples) * each));
    settle();
  }

  // Executes plans until there is none. False: it does not end, or something is wrong.
  void settle() {
    for (int left = 100'000; left > 0; --left) {
      const CompactionPlan plan = chooseCompaction(model.state);
      if (plan.kind == CompactionKind::kNone) return note();
      check(plan);
      model.carryOut(plan);
    }
    fail(__FILE__, __LINE__, "compaction does not end");
  }

  void wait(Duration by) {
    model.advance(by);
    settle();
  }

  double storedBytes() const { return static_cast<double>(samples_) * bytes_.closed; }
  double written() const { return static_cast<double>(model.bytesWritten) / asDouble(samples_); }
  double times() const { return asDouble(samplesWritten_) / asDouble(samples_); }
  double writeAmplification() const {
    return static_cast<double>(model.bytesWritten) / storedBytes();
  }
  double spaceAtRest() const { return asDouble(model.bytes()) / storedBytes(); }
  double spaceAtPeak() const { return asDouble(model.bytesPeak) / storedBytes(); }
  std::size_t segments() const { return model.state.segments.size(); }
  std::size_t finals() const {
    const auto& all = model.state.segments;
    const auto isFinal = [](const CompactionSegment& one) { return one.isFinal; };
    return static_cast<std::size_t>(std::count_if(all.begin(), all.end(), isFinal));
  }

  void print(const char* name) const {
    std::printf(
        "    %s: %.2f B/sample written, %.1f times, amplification %.1f; space %.2f, peak "
        "%.2f; segments %zu, at most %zu (%zu not final); %llu plans\n",
        name, written(), times(), writeAmplification(), spaceAtRest(), spaceAtPeak(), segments(),
        segmentsMax, openMax, static_cast<unsigned long long>(model.planCount));
  }

 private:
  static double asDouble(std::uint64_t number) { return static_cast<double>(number); }

  void check(const CompactionPlan& plan) {
    const std::string text = textOf(plan, model.state.unit);
    if (!seen_.insert(text).second) fail(__FILE__, __LINE__, "chosen twice: " + text);
    if (model.planCount % checkEvery_ != 0) return;
    if (const auto wrong = findDisorder(model.state)) fail(__FILE__, __LINE__, *wrong);
    if (const auto wrong = findFault(model.state, plan)) fail(__FILE__, __LINE__, *wrong);
  }

  void note() {
    segmentsMax = std::max(segmentsMax, segments());
    openMax = std::max(openMax, segments() - finals());
  }

  ByteModel bytes_;
  std::uint64_t checkEvery_;
  std::uint64_t samples_ = 0;
  std::uint64_t samplesWritten_ = 0;
  std::set<std::string> seen_;
};

constexpr auto kMs = TimestampUnit::kMilliseconds;

// Flushes live samples every `interval`, up to the present.
void runLive(Simulation& simulation, Timestamp start, int flushes, Duration interval,
             std::uint64_t samplesOfFlush) {
  simulation.model.state.wall = start;
  for (int flush = 0; flush < flushes; ++flush) {
    const Timestamp at = start + flush * interval;
    simulation.model.advance(interval);
    simulation.flush({at, at + interval - 1}, samplesOfFlush);
  }
}

void expectNear(const char* what, double measured, double wanted) {
  const bool isNear = measured >= 0.8 * wanted && measured <= 1.2 * wanted;
  if (!isNear) {
    fail(__FILE__, __LINE__,
         std::string(what) + " is " + std::to_string(measured) + ", not within a fifth of " +
             std::to_string(wanted));
  }
}

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool kIsSanitized = true;
#else
constexpr bool kIsSanitized = false;
#endif

// No slot begins here.
const Timestamp kStart = days(20'000, kMs) + hours(5, kMs);

}  // namespace

TEST("a year of 1,000 series every 10 s is written 4 times, in at most 65 segments") {
  Simulation a({360'000, {{1, 0.48}, {8, 0.40}, {64, 0.39}}, 0.30});
  runLive(a, kStart, 365 * 24, hours(1, kMs), 360'000);
  a.print("A");
  expectNear("written", a.written(), 1.57);
  expectNear("times", a.times(), 4);
  expectNear("write amplification", a.writeAmplification(), 5.2);
  expectNear("space at rest", a.spaceAtRest(), 1.04);
  expectNear("space at peak", a.spaceAtPeak(), 1.07);
  EXPECT(a.segmentsMax <= 65);
}

TEST("a year of a million series every minute is written 4 times, in at most 185 segments") {
  Simulation b({10e6, {{1, 1.9}, {8, 0.63}, {64, 0.46}}, 0.33});
  runLive(b, kStart, 365 * 144, hours(1, kMs) / 6, 10'000'000);
  b.print("B");
  expectNear("written", b.written(), 3.3);
  expectNear("times", b.times(), 4);
  expectNear("write amplification", b.writeAmplification(), 10);
  expectNear("space at rest", b.spaceAtRest(), 1.02);
  expectNear("space at peak", b.spaceAtPeak(), 1.05);
  expectNear("segments", static_cast<double>(b.segmentsMax), 185);
}

TEST("ten years in random order are written 5 times and end as one segment per slot") {
  // Under sanitizers, which make it ten times as slow, an eighth of the slots.
  const std::int64_t length = kIsSanitized ? 456 : 3650;
  const auto slots = static_cast<double>(length / 8 + 1);
  const auto samples = static_cast<std::uint64_t>(28'720 * slots);
  Simulation c({28'720, {{1, 5.0}, {8, 4.4}, {64, 4.1}, {512, 3.8}}, 1.14}, 256);
  c.model.state.wall = kStart + days(length, kMs);
  for (int flush = 0; flush < 2400; ++flush) {
    c.model.advance(3000);
    c.flush({kStart, kStart + days(length, kMs) - 1}, samples);
  }
  const double open = c.spaceAtRest();
  c.print("C, running");
  for (int hour = 0; hour < 60 * 24; ++hour) c.wait(hours(1, kMs));
  c.print("C, closed");
  expectNear("written", c.written(), 18.4);
  expectNear("times", c.times(), 5);
  expectNear("write amplification", c.writeAmplification(), 16);
  expectNear("space until closed", open, 3.3);
  expectNear("space at rest", c.spaceAtRest(), 1.0);
  // All slots get their segments at once, so they also peak at once.
  const double openOfSlot = static_cast<double>(c.openMax) / slots;
  EXPECT(openOfSlot >= 3000.0 / 457 && openOfSlot <= 1.2 * 7000 / 457);
  expectNear("final segments of a slot", static_cast<double>(c.finals()) / slots, 1);
}

TEST("10 million series over 10 days are written 4 times, in at most 40 segments") {
  Simulation d({15e6, {{1, 0.58}, {8, 0.48}}, 0.40});
  runLive(d, kStart + days(4, kMs), 240, hours(1, kMs), 15'000'000);
  d.print("D, running");
  EXPECT(d.segmentsMax <= 40);
  expectNear("space at rest", d.spaceAtRest(), 1.1);
  d.model.state.isFull = true;
  d.settle();
  d.print("D, closed");
  expectNear("written", d.written(), 1.93);
  expectNear("times", d.times(), 4);
  expectNear("write amplification", d.writeAmplification(), 4.8);
  expectNear("space at peak", d.spaceAtPeak(), 1.5);
}

TEST("35 flushes within a quarter of a day become 7 segments, and 1 after a full compaction") {
  Simulation e({40'000 * 62, {{1, 1.0}, {8, 0.46}}, 0.41});
  const Timestamp start = days(20'000, kMs);
  runLive(e, start, 35, hours(6, kMs) / 35, 40'000 * 62);
  e.print("E, flushed");
  EXPECT(e.segments() == 7);
  expectNear("bytes of a sample", e.spaceAtRest() * 0.41, 0.51);
  expectNear("write amplification", e.writeAmplification(), 3.2);
  expectNear("times", e.times(), 2);
  expectNear("space at rest", e.spaceAtRest(), 1.24);
  e.wait(days(1, kMs));
  e.print("E, a day later");
  EXPECT(e.segments() == 5);
  expectNear("bytes of a sample", e.spaceAtRest() * 0.41, 0.46);
  e.model.state.isFull = true;
  e.settle();
  e.print("E, asked for");
  EXPECT(e.segments() == 1);
  expectNear("bytes of a sample", e.spaceAtRest() * 0.41, 0.41);
  expectNear("write amplification", e.writeAmplification(), 4.6);
  expectNear("space at peak", e.spaceAtPeak(), 2.2);
}
