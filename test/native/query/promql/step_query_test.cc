// Queries at steps against plain loops over the same samples; on one thread and several, from
// stored series and computed rows.
#include "query/promql/step_world.h"

using namespace seriesdb;
using namespace seriesdb::test;

namespace {

constexpr TimestampUnit kUnits[] = {TimestampUnit::kMilliseconds, TimestampUnit::kNanoseconds,
                                    TimestampUnit::kSeconds};

// Computed rows, which are never stale.
StepRows computedRows(StepWorld& world, std::vector<double>& values,
                      std::vector<std::uint8_t>& present) {
  StepRows rows{3, {-50'000, 7'000, 400}, {}, {}};
  for (std::size_t i = 0; i < rows.rowCount * rows.grid.count; ++i) {
    values.push_back(static_cast<double>(world.random() % 100) / 3);
    present.push_back(world.random() % 5 == 0 ? 0 : 1);
  }
  rows.values = values;
  rows.present = present;
  return rows;
}

}  // namespace

TEST("each function over windows equals a plain loop, in memory, segments and compacted") {
  std::size_t rowCount = 0;
  for (const TimestampUnit unit : kUnits) {
    StepWorld world(seed() + static_cast<std::uint64_t>(unit), unit);
    for (int form = 0; form < 3; ++form) {
      if (form == 1) EXPECT(world.database().flush().ok());
      if (form == 2) EXPECT(world.database().compact().ok());
      for (std::size_t i = 0; i < rounds(kFunctions * 4); ++i) {
        const auto function = static_cast<StepFunction>(i % kFunctions);
        if (function == StepFunction::kSamples) continue;
        const StepPlan plan = world.randomPlan(function);
        const StepTable table = answerOf(world.database(), plan, 1 + i % 4);
        const Rows expected = world.expected(plan);
        rowCount += expected.size();
        const bool isRight = areSame(rowsOf(table, plan.grid.count), expected, likeOf(function));
        if (!isRight) std::printf("function %zu, form %d\n", i % kFunctions, form);
        REQUIRE(isRight);
      }
    }
  }
  EXPECT(rowCount > kSeriesCount * kFunctions);
}

TEST("functions over computed rows equal those over the same stored samples") {
  StepWorld world(seed(), TimestampUnit::kMilliseconds);
  std::vector<double> values;
  std::vector<std::uint8_t> present;
  const StepRows rows = computedRows(world, values, present);
  for (std::size_t i = 0; i < kFunctions; ++i) {
    StepPlan plan = world.randomPlan(static_cast<StepFunction>(i));
    if (plan.function == StepFunction::kSamples) continue;
    plan.of = rows;
    const StepTable table = answerOf(world.database(), plan, 1 + i % 3);
    REQUIRE(table.rowCount == rows.rowCount && !table.labels);
    for (std::size_t row = 0; row < rows.rowCount; ++row) {
      Sampled samples;
      for (std::size_t at = 0; at < rows.grid.count; ++at) {
        const std::size_t cell = row * rows.grid.count + at;
        if (present[cell] != 0) samples.emplace_back(rows.grid.at(at), values[cell]);
      }
      Row expected;
      for (std::size_t step = 0; step < plan.grid.count; ++step) {
        expected.push_back(naiveAt(samples, plan, step));
      }
      EXPECT(areSame(rowOf(table, row, plan.grid.count), expected, likeOf(plan.function)));
    }
  }
}

TEST("windows computed together equal single ones, with gaps, resets and stale markers") {
  constexpr StepFunction kAlike[] = {StepFunction::kRate,     StepFunction::kIncrease,
                                     StepFunction::kDelta,    StepFunction::kLast,
                                     StepFunction::kLastTime, StepFunction::kTimeOfLast};
  constexpr std::size_t kRounds = 300;
  StepWorld world(seed(), TimestampUnit::kMilliseconds);
  std::size_t there = 0;
  for (std::size_t round = 0; round < rounds(kRounds); ++round) {
    StepRows rows{1, {0, 10'000, 400}, {}, {}};
    std::vector<double> values;
    std::vector<std::uint8_t> present;
    const std::uint64_t seldom = 1 + world.random() % 200;
    double counter = static_cast<double>(world.random() % 3);
    for (std::size_t i = 0; i < rows.grid.count; ++i) {
      counter += static_cast<double>(world.random() % 50) / 7;
      if (world.random() % seldom == 0) counter = static_cast<double>(world.random() % 2);
      const bool isStale = round % 4 == 0 && world.random() % seldom == 0;
      values.push_back(isStale ? std::bit_cast<double>(kStaleBits) : counter);
      present.push_back(world.random() % (seldom * 3) == 0 ? 0 : 1);
    }
    rows.values = values;
    rows.present = present;
    StepPlan plan = world.randomPlan(kAlike[round % std::size(kAlike)]);
    plan.of = rows;
    const auto upTo = [&world](std::int64_t most) {
      return 1 + static_cast<std::int64_t>(world.random() % static_cast<std::uint64_t>(most));
    };
    plan.grid = {upTo(100'000), round % 5 == 0 ? upTo(70'000) : 10'000 * upTo(6), 200};
    plan.window = round % 3 == 0 ? upTo(400'000) : 10'000 * upTo(40);
    plan.offset = 0;
    Sampled samples;
    for (std::size_t at = 0; at < rows.grid.count; ++at) {
      if (present[at] != 0) samples.emplace_back(rows.grid.at(at), values[at]);
    }
    Row expected;
    for (std::size_t step = 0; step < plan.grid.count; ++step) {
      expected.push_back(naiveAt(samples, plan, step));
      there += expected.back().has_value() ? 1 : 0;
    }
    const StepTable table = answerOf(world.database(), plan, 1);
    EXPECT(areSame(rowOf(table, 0, plan.grid.count), expected));
  }
  EXPECT(there > rounds(kRounds) * 50);
}

TEST("a sample query returns all samples of a window except stale markers, with their times") {
  StepWorld world(seed(), TimestampUnit::kNanoseconds);
  for (int round = 0; round < 20; ++round) {
    StepPlan plan = world.randomPlan(StepFunction::kSamples);
    plan.grid.count = 1;
    const StepTable table = answerOf(world.database(), plan, 2);
    std::map<std::string, Sampled> found;
    std::size_t at = 0;
    for (std::size_t row = 0; row < table.rowCount; ++row) {
      Sampled& samples = found[labelsOf(*table.labels, row)];
      for (; at < table.ends[row]; ++at) {
        samples.emplace_back(static_cast<std::int64_t>(table.times[at]), table.values[at]);
      }
    }
    std::size_t count = 0;
    for (std::size_t series = 0; series < kSeriesCount; ++series) {
      Sampled expected;
      for (const auto& [ms, value] : world.samplesOf(series)) {
        const bool isIn = ms > plan.after() && ms <= plan.end();
        if (isIn && !isStale(value)) expected.emplace_back(ms, value);
      }
      count += expected.empty() ? 0 : 1;
      const Sampled& given = found[StepWorld::labelsOf(series)];
      REQUIRE(given.size() == expected.size());
      for (std::size_t i = 0; i < given.size(); ++i) {
        EXPECT(given[i].first == expected[i].first && isSame(given[i].second, expected[i].second));
      }
    }
    EXPECT(count == table.rowCount);
  }
}

TEST("a millisecond window covers exactly the timestamps that round down into it") {
  const auto range = [](std::int64_t after, std::int64_t end, TimestampUnit unit) {
    const TimeRange made = rangeOfMilliseconds(after, end, unitsPerSecond(unit));
    return std::pair(made.start, made.end);
  };
  using Times = std::pair<Timestamp, Timestamp>;
  EXPECT(range(-1, 5, TimestampUnit::kMilliseconds) == Times(0, 5));
  EXPECT(range(-2, 5, TimestampUnit::kMicroseconds) == Times(-1000, 5999));
  EXPECT(range(999, 3999, TimestampUnit::kSeconds) == Times(1, 3));
  EXPECT(range(1000, 4000, TimestampUnit::kSeconds) == Times(2, 4));
  EXPECT(range(-1001, -1, TimestampUnit::kSeconds) == Times(-1, -1));
  const std::int64_t far = std::int64_t{1} << 53;
  EXPECT(range(-far, far, TimestampUnit::kNanoseconds) == Times(INT64_MIN, INT64_MAX));
}
