// Invariants of any state: random histories of a database, segments of any size, and ten thousand
// segments.
#include <time.h>

#include <algorithm>
#include <random>
#include <set>
#include <string>

#include "compaction_model.h"
#include "compaction_text.h"
#include "harness.h"

using namespace seriesdb;
using namespace seriesdb::test;

namespace {

constexpr auto kMs = TimestampUnit::kMilliseconds;
constexpr std::uint64_t kMuch = std::uint64_t{1} << 50;

// A database with random events.
class RandomLife {
 public:
  explicit RandomLife(std::uint64_t seed) : random_(seed) {
    CompactionState& state = model.state;
    state.wall = state.newest = days(20'000, kMs);
    state.limits.factor = static_cast<std::uint32_t>(2 + below(7));
    state.limits.segmentBytesMax = std::uint64_t{1} << (20 + below(6));
    state.limits.tombstoneRefsMax = 200;
    changeRules();
  }

  CompactionModel model;

  bool live(int steps) {
    for (int step = 0; step < steps; ++step) {
      happen();
      if (!settle()) return false;
    }
    return true;
  }

  // Does all outstanding work.
  bool finish() {
    for (CompactionSegment& segment : model.state.segments) segment.isDamaged = false;
    model.state.isFull = true;
    model.state.freeBytes = kMuch;
    return settle();
  }

 private:
  std::uint64_t below(std::uint64_t end) { return random_() % end; }
  Duration length(std::int64_t daysMax) {
    return static_cast<Duration>(below(static_cast<std::uint64_t>(days(daysMax, kMs))));
  }

  void happen() {
    CompactionState& state = model.state;
    model.advance(length(1) / 4);
    const std::uint64_t what = below(100);
    if (what < 70) return flush();
    if (what < 76) return erase();
    if (what < 84) return damage();
    if (what < 86) return changeRules();
    if (what < 87) return model.advance(length(40));
    if (what < 90) return moveRetention();
    if (what < 93) return fillDisk();
    if (what < 96) return restart();
    if (what < 98) state.isFull = !state.isFull;
    state.idleFor = length(1) / 24;
  }

  void fillDisk() { model.state.freeBytes = below(2) == 0 ? below(20 << 20) : kMuch; }

  void restart() {
    model.state.codecs = static_cast<std::uint32_t>(below(3));
    for (CompactionSegment& segment : model.state.segments) segment.arrivedAgo = 0;
  }

  void flush() {
    const std::uint64_t kind = below(10);
    const Timestamp wall = model.state.wall;
    TimeRange time{wall - length(1), wall};
    if (kind == 0) time = {wall - length(20), wall - 1};
    if (kind == 1) time.start = time.end = wall - length(400);
    if (kind == 2) time = {wall - days(30, kMs), wall + length(10)};
    if (kind == 3) time = {INT64_MIN, wall - days(600, kMs)};
    if (time.start > time.end) std::swap(time.start, time.end);
    model.flush(time, 1 + below(5000), 100 + below(std::uint64_t{1} << (10 + below(11))));
  }

  void erase() {
    CompactionTombstone tombstone;
    tombstone.sequence = model.nextSequence++;
    tombstone.refs = below(30);
    tombstone.range = {model.state.wall - length(100), model.state.wall};
    model.state.tombstones.push_back(tombstone);
    for (CompactionSegment& segment : model.state.segments) {
      segment.countedThrough = tombstone.sequence;
      const bool isMasked = segment.time.start <= tombstone.range.end &&
                            tombstone.range.start <= segment.time.end && below(3) == 0;
      if (!isMasked || segment.maskedSamples == segment.samples) continue;
      segment.maskedSamples += 1 + below(segment.samples - segment.maskedSamples);
      if (segment.maskedSince == 0) segment.maskedSince = tombstone.sequence;
    }
  }

  void damage() {
    for (CompactionSegment& segment : model.state.segments) {
      const std::uint64_t rarity = segment.place ? 60 : 4;
      segment.isDamaged = segment.isDamaged ? below(3) > 0 : below(rarity) == 0;
    }
  }

  void changeRules() {
    CompactionState& state = model.state;
    ++state.version;
    for (std::uint64_t left = 1 + below(3); left > 0; --left) {
      const Duration keeps[] = {kForever, days(100, kMs), days(20, kMs), days(2, kMs)};
      const auto number = static_cast<std::uint32_t>(state.classes.size() + 1);
      state.classes.push_back(
          makeClass(number, state.version, keeps[below(4)], state.wall, state.unit));
    }
  }

  void moveRetention() {
    model.state.retentionClock = model.state.wall;
    model.state.isRetentionDone = false;
    model.state.purgedExpired = 0;
    for (CompactionSegment& segment : model.state.segments) {
      if (below(4) == 0) segment.keepToday = days(10, kMs);
      if (below(8) == 0) segment.expiredBytes = below(segment.bytes + 1);
    }
  }

  bool settle() {
    for (int left = 20'000; left > 0; --left) {
      const bool isLooked = model.state.segments.size() < 200 || left % 16 == 0;
      if (isLooked && isWrong(findDisorder(model.state))) return false;
      const CompactionPlan plan = chooseCompaction(model.state);
      if (isWrong(findFault(model.state, plan))) return false;
      if (plan.kind == CompactionKind::kNone) return isFutureWake(plan);
      std::string text = textOf(plan, kMs);
      // Floors of the same segments may rise again after the next deletion.
      if (plan.kind != CompactionKind::kRaise && !seen_.insert(text).second) {
        return !isWrong("chosen twice: " + text);
      }
      model.carryOut(plan);
    }
    return !isWrong("compaction does not end");
  }

  bool isFutureWake(const CompactionPlan& none) {
    if (none.wakeAt && *none.wakeAt <= model.state.wall) return !isWrong("it wakes at once");
    return true;
  }

  bool isWrong(const std::optional<std::string>& what) {
    if (what) fail(__FILE__, __LINE__, *what);
    return what.has_value();
  }

  std::mt19937_64 random_;
  std::set<std::string> seen_;
};

CompactionSegment segmentOf(std::uint64_t number, std::int64_t slot, std::uint64_t bytes) {
  CompactionSegment segment;
  segment.number = number;
  segment.place = PartitionPlace{1, SlotWidth::k8Days, slot};
  segment.time = slotRange(slot, days(8, kMs));
  segment.seqMin = segment.seqMax = number;
  segment.samples = 1000;
  segment.bytes = bytes;
  return segment;
}

// Old partitions of 20 segments, each twice as large as the one before. Every 64th segment is
// damaged.
CompactionState largeState(std::size_t count) {
  CompactionState state = CompactionModel().state;
  state.wall = state.newest = days(200'000, kMs);
  for (std::size_t i = 0; i < count; ++i) {
    state.segments.push_back(segmentOf(i + 1, static_cast<std::int64_t>(i / 20), 1 << (i % 20)));
    state.segments.back().isDamaged = i % 64 == 0;
    state.segments.back().countedThrough = count + 2000;
  }
  for (std::size_t i = 0; i < 1000; ++i) {
    state.tombstones.push_back({count + i + 1, 0, {INT64_MIN, INT64_MIN + 1}, 1});
  }
  return state;
}

// The processor time of this thread, the fastest of several tries.
double secondsToChoose(const CompactionState& state) {
  const auto now = [] {
    timespec time{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
  };
  double best = 1e9;
  for (int turn = 0; turn < 30; ++turn) {
    const double start = now();
    const CompactionPlan plan = chooseCompaction(state);
    best = std::min(best, now() - start);
    if (plan.kind == CompactionKind::kNone) fail(__FILE__, __LINE__, "there is work to do");
  }
  return best;
}

}  // namespace

TEST("random plans are contiguous, come to an end and keep sequence intervals in order") {
  for (std::uint64_t life = 0; life < rounds(8U); ++life) {
    RandomLife one(seed() + life);
    REQUIRE(one.live(100));
  }
}

TEST("a full compaction leaves no L0 segment, and every slot outside the attic final") {
  for (std::uint64_t life = 0; life < rounds(4U); ++life) {
    RandomLife one(seed() + life);
    REQUIRE(one.live(60) && one.finish());
    for (const CompactionSegment& segment : one.model.state.segments) {
      REQUIRE(segment.place.has_value());
      EXPECT(segment.isFinal || segment.place->slot == kAtticSlot);
    }
  }
}

TEST("segments of any size leave fewer than eight per tier, and are written once per tier") {
  std::mt19937_64 random(seed());
  CompactionModel model;
  model.state.wall = model.state.newest = days(8, kMs);  // Slot 0 is still open.
  std::uint64_t brought = 0;
  std::size_t most = 0;
  for (int i = 0; i < 4000; ++i) {
    CompactionSegment segment = segmentOf(model.nextNumber, 0, 1024u << (random() % 11));
    segment.seqMin = segment.seqMax = 100'000'000 + static_cast<std::uint64_t>(i);
    brought += segment.bytes;
    model.add(segment);
    for (int left = 10; left > 0; --left) {
      const CompactionPlan plan = chooseCompaction(model.state);
      if (plan.kind == CompactionKind::kNone) break;
      model.carryOut(plan);
    }
    most = std::max(most, model.state.segments.size());
  }
  EXPECT(most <= 7 * 6);
  EXPECT(model.bytesWritten <= 6 * brought);
}

TEST("choosing among 10,000 segments takes time in proportion to their number") {
  const double few = secondsToChoose(largeState(625));
  const double many = secondsToChoose(largeState(10'000));
  std::printf("    10,000 segments take %.0f us\n", many * 1e6);
  // Sixteen times as many; quadratic work would take 256 times as long.
  if (many > 80 * few) fail(__FILE__, __LINE__, std::to_string(many / few) + " times as long");
}

TEST("invalid states and invalid plans are found") {
  CompactionModel model;
  model.add(segmentOf(1, 0, 100));
  model.add(segmentOf(2, 0, 100));
  model.add(segmentOf(3, 0, 100));
  EXPECT(!findDisorder(model.state));
  CompactionPlan plan;
  plan.kind = CompactionKind::kTier;
  plan.inputs = {1, 2};
  plan.seqMin = 1;
  plan.seqMax = 2;
  EXPECT(!findFault(model.state, plan));
  plan.inputs = {1, 3};
  EXPECT(findFault(model.state, plan) == "#3 lies outside the interval of the plan");
  plan.seqMax = 3;
  EXPECT(findFault(model.state, plan) == "#2 lies between the inputs");
  plan.inputs = {1, 4};
  EXPECT(findFault(model.state, plan) == "#4 is not there");
  plan.inputs = {1, 1};
  EXPECT(findFault(model.state, plan) == "#1 is taken twice");
  plan.kind = CompactionKind::kDrop;
  plan.inputs = {2};
  EXPECT(findFault(model.state, plan) == "#1 would reveal samples that #2 overwrote");
  plan.inputs = {1};
  EXPECT(!findFault(model.state, plan));

  model.state.segments[1].seqMin = 1;
  EXPECT(findDisorder(model.state) == "#1 and #2 overlap in time and in interval");
  model.state.segments[1].place.reset();
  EXPECT(findDisorder(model.state).has_value());
  model.state.segments[1] = segmentOf(2, 1, 100);
  model.state.segments[1].seqMin = 1;
  EXPECT(!findDisorder(model.state));
  model.state.segments[1].time.start -= 1;
  EXPECT(findDisorder(model.state) == "#2 has samples outside its slot");
}
