// The rules, their classes and the clock of retention, without an engine.
#include <random>

#include "harness.h"
#include "storage/compaction/ladder.h"
#include "storage/retention/retention_classes.h"
#include "storage/retention/retention_clock.h"
#include "storage/retention/retention_rules.h"

using namespace seriesdb;
using namespace seriesdb::test;

namespace {

constexpr TimestampUnit kMs = TimestampUnit::kMilliseconds;
constexpr Duration kHourLong = hours(1, kMs);
constexpr Duration kDayLong = days(1, kMs);

// The definition of a match, without regard for speed.
bool isMatch(std::string_view pattern, std::string_view text) {
  if (pattern.empty()) return text.empty();
  if (pattern.front() != '*') {
    return !text.empty() && text.front() == pattern.front() &&
           isMatch(pattern.substr(1), text.substr(1));
  }
  for (std::size_t taken = 0; taken <= text.size(); ++taken) {
    if (isMatch(pattern.substr(1), text.substr(taken))) return true;
  }
  return false;
}

}  // namespace

TEST("a star in a pattern matches any text, and other characters match themselves") {
  EXPECT(matchesPattern("cpu.*", "cpu.") && matchesPattern("cpu.*", "cpu.load.1"));
  EXPECT(!matchesPattern("cpu.*", "cpu") && !matchesPattern("cpu", "cpu.load"));
  EXPECT(matchesPattern("*", "") && matchesPattern("*.total", "a.total.total"));
  EXPECT(!matchesPattern("", "a") && matchesPattern("a?[x]", "a?[x]"));
  std::mt19937_64 random(seed());
  for (int i = 0; i < 20'000; ++i) {
    std::string pattern;
    std::string text;
    for (std::uint64_t left = random() % 8; left > 0; --left) pattern += "ab*"[random() % 3];
    for (std::uint64_t left = random() % 10; left > 0; --left) text += "ab"[random() % 2];
    EXPECT(matchesPattern(pattern, text) == isMatch(pattern, text));
  }
}

TEST("the first matching rule of a metric applies, and without one samples are kept for ever") {
  const RetentionRules rules({{"cpu.idle", kForever}, {"cpu.*", 2 * kDayLong}, {"*", kDayLong}});
  EXPECT(rules.keepOf("cpu.idle") == kForever);
  EXPECT(rules.keepOf("cpu.load") == 2 * kDayLong);
  EXPECT(rules.keepOf("mem") == kDayLong);
  EXPECT((rules.keeps() == std::vector<Duration>{kDayLong, 2 * kDayLong, kForever}));
  EXPECT(RetentionRules({{"cpu", kDayLong}}).keepOf("mem") == kForever);
  // Rules behind a rule for all metrics never apply.
  EXPECT((RetentionRules({{"*", kDayLong}, {"a", 5}}).keeps() == std::vector<Duration>{kDayLong}));
}

TEST("a rule with labels applies to series that have all of them") {
  const RetentionRules rules({{"cpu.*", kDayLong, {{"env", "dev"}, {"zone", "a"}}},
                              {"cpu.*", 5 * kDayLong, {{"env", "dev"}}},
                              {"*", 9 * kDayLong}});
  const auto keepOf = [&](std::string_view metric, std::vector<Label> labels) {
    return rules.keepOf(metric, labels);
  };
  EXPECT(keepOf("cpu.x", {{"env", "dev"}, {"host", "1"}, {"zone", "a"}}) == kDayLong);
  EXPECT(keepOf("cpu.x", {{"env", "dev"}, {"zone", "b"}}) == 5 * kDayLong);
  EXPECT(keepOf("cpu.x", {{"env", "dev"}}) == 5 * kDayLong);
  EXPECT(keepOf("cpu.x", {{"env", "prod"}, {"zone", "a"}}) == 9 * kDayLong);
  EXPECT(keepOf("cpu.x", {}) == 9 * kDayLong && keepOf("mem", {{"env", "dev"}}) == 9 * kDayLong);
  EXPECT(!rules.keepOf("cpu.x") && rules.keepOf("mem") == 9 * kDayLong);
  // With labels, the rule does not cover all remaining series.
  const RetentionRules some({{"*", kDayLong, {{"env", "dev"}}}});
  EXPECT((some.keeps() == std::vector<Duration>{kDayLong, kForever}));
  EXPECT(some.mark() != RetentionRules({{"*", kDayLong}}).mark());
  EXPECT(some.mark() != RetentionRules({{"*", kDayLong, {{"env", "de"}}}}).mark());
}

TEST("the mark of rules without labels is stable across versions") {
  EXPECT(RetentionRules({{"cpu.*", kDayLong}, {"*", 5}}).mark() == 0xf750ccb87ca116afU);
}

TEST("rule marks differ by order, pattern and duration, and only no rules have mark 0") {
  const RetentionRule a{"a", kDayLong};
  const RetentionRule b{"b", kDayLong};
  const std::uint64_t mark = RetentionRules({a, b}).mark();
  EXPECT(mark == RetentionRules({a, b}).mark() && mark != 0 && RetentionRules().mark() == 0);
  EXPECT(mark != RetentionRules({b, a}).mark());
  EXPECT(mark != RetentionRules({a, {"b", kDayLong + 1}}).mark());
  EXPECT(RetentionRules({{"ab", 1}}).mark() != RetentionRules({{"a", 'b'}, {"", 1}}).mark());
}

TEST("changed rules give new numbers to all classes, and old classes keep theirs") {
  const RetentionRules rules({{"a", 80 * kDayLong}});
  auto known = makeClasses(rules, {}, 0, kMs);
  REQUIRE(known.size() == 2);
  EXPECT(known[0].number == 1 && known[1].number == 2 && known[0].version == 1);
  EXPECT(known[0].keep == 80 * kDayLong && known[1].keep == kForever);
  const auto next = makeClasses(RetentionRules(), known, 0, kMs);
  REQUIRE(next.size() == 1);
  EXPECT(next[0].number == 3 && next[0].version == 2 && next[0].keep == kForever);
  known.insert(known.end(), next.begin(), next.end());
  EXPECT(classesOfToday(known).size() == 1 && classesOfToday(known)[0].number == 3);
}

TEST("the retention clock follows the wall clock only if the clients' clock agrees") {
  const Timestamp wall = 1000 * kDayLong;
  const Timestamp clock = wall - 30 * kDayLong;
  const auto moved = [&](std::optional<Timestamp> newest, Duration passed = kHourLong) {
    return moveRetentionClock(clock, {wall, passed, newest}, kMs);
  };
  EXPECT(moved(wall) == wall && moved(wall - kDayLong) == wall && moved(wall + kDayLong) == wall);
  EXPECT(moved(wall - kDayLong - 1) == clock + kHourLong);
  EXPECT(moved(wall + kDayLong + 1) == clock + kHourLong);
  EXPECT(moved({}) == clock + kHourLong);
  EXPECT(moved({}, 9 * kDayLong) == clock + kDayLong);
  // The clock falls only if both clocks say that it is days ahead.
  const Timestamp ahead = wall + 2 * kDayLong;
  EXPECT(moveRetentionClock(ahead, {wall, kHourLong, wall}, kMs) == ahead);
  EXPECT(moveRetentionClock(ahead + 1, {wall, kHourLong, wall}, kMs) == wall);
  EXPECT(isRetentionAhead(ahead + 1, {wall, 0, wall}, kMs));
  EXPECT(!isRetentionAhead(ahead, {wall, 0, wall}, kMs));
  EXPECT(!isRetentionAhead(wall + kDayLong * 4000, {wall, 0, std::nullopt}, kMs));
  EXPECT(!isRetentionAhead(wall + kDayLong * 4000, {wall, 0, wall - 2 * kDayLong}, kMs));
  EXPECT(!isRetentionJump(0, 2 * kDayLong, kMs) && isRetentionJump(0, 2 * kDayLong + 1, kMs));
}

TEST("the retention clock starts where both clocks agree, else after an hour at the earliest one") {
  const Timestamp wall = 1000 * kDayLong;
  const Timestamp stored = wall - 30 * kDayLong;
  const auto started = [&](std::optional<Timestamp> newest, Duration passed = kHourLong - 1) {
    return startRetentionClock(stored, {wall, passed, newest}, kMs);
  };
  EXPECT(!started({}) && !started(wall - kDayLong - 1) && !started(wall - 90 * kDayLong));
  EXPECT(started(wall) == wall && started(wall - 5) == wall - 5 && started(wall + 5) == wall);
  EXPECT(started({}, kHourLong) == stored);
  EXPECT(started(stored - 9, kHourLong) == stored - 9);
  EXPECT(started(stored + 9, kHourLong) == stored);
  EXPECT(startRetentionClock(wall + 9, {wall, kHourLong, std::nullopt}, kMs) == wall);
}

TEST("classes with a near loft are distinguished from new ones") {
  const Timestamp now = 20'000 * kDayLong;
  auto classes = makeClasses(RetentionRules({{"a", kDayLong}}), {}, now, kMs);
  EXPECT(!hasNearLoft(classes, now, kMs) && !hasNearLoft(classes, now + 40 * 365 * kDayLong, kMs));
  classes[0].loftStart = now + 512 * kDayLong;
  EXPECT(hasNearLoft(classes, now, kMs));
}

TEST("while one clock is right, the retention clock is at most a day ahead") {
  for (std::uint64_t round = 0; round < 200; ++round) {
    std::mt19937_64 random(seed() + round);
    const bool isWallRight = round % 2 == 0;
    Timestamp truth = 10'000 * kDayLong;
    const auto wrong = [&] {
      const Duration far = random() % 3 == 0 ? 4000 * kDayLong : 3 * kDayLong;
      return truth + static_cast<Duration>(random() % static_cast<std::uint64_t>(2 * far)) - far;
    };
    const auto wallNow = [&] { return isWallRight ? truth : wrong(); };
    const auto clientsNow = [&] { return isWallRight ? wrong() : truth; };
    const ClockReadings first{wallNow(), kHourLong, std::nullopt};
    Timestamp clock = startRetentionClock(clientsNow(), first, kMs).value();
    for (int hour = 0; hour < 500; ++hour) {
      const auto passed = static_cast<Duration>(random() % (3 * kHourLong));
      truth += passed;
      ClockReadings readings{wallNow(), passed, std::nullopt};
      if (random() % 3 > 0) readings.newest = clientsNow();
      const Timestamp next = moveRetentionClock(clock, readings, kMs);
      EXPECT(next >= clock && next <= truth + (isWallRight ? 0 : kDayLong));
      clock = next;
    }
  }
}
