// Folded queries at steps against their rows, folded in order by plain loops; and limits.
#include "query/promql/step_world.h"

using namespace seriesdb;
using namespace seriesdb::test;

namespace {

constexpr auto kFolds = static_cast<std::size_t>(StepFold::kStdvar) + 1;

// The values of a group at one step, in the order of their rows.
double naiveFold(StepFold fold, const std::vector<double>& values) {
  Sampled in;
  for (const double value : values) in.emplace_back(0, value);
  double sum = values[0];
  double rest = 0;
  double mean = values[0];
  double squares = std::isfinite(values[0]) ? 0 : NAN;
  for (std::size_t i = 1; i < values.size(); ++i) {
    kahan(values[i], sum, rest);
    const double delta = values[i] - mean;
    mean += delta / static_cast<double>(i + 1);
    squares += delta * (values[i] - mean);
  }
  const auto count = static_cast<double>(values.size());
  switch (fold) {
    case StepFold::kSum:
      return sum + rest;
    case StepFold::kAvg:
      return naiveMean(in);
    case StepFold::kMin:
      return naiveExtreme(in, StepFunction::kMin);
    case StepFold::kMax:
      return naiveExtreme(in, StepFunction::kMax);
    case StepFold::kCount:
      return count;
    case StepFold::kGroup:
      return 1;
    case StepFold::kStdvar:
      return squares / count;
    case StepFold::kStddev:
      return std::sqrt(squares / count);
  }
  return 0;
}

std::string groupOf(const LabelTable& table, std::size_t row, const LabelChoice& by) {
  std::string text;
  for (const LabelColumn& column : table.columns) {
    const bool isKey = std::ranges::find(by.keys, column.key) != by.keys.end();
    const bool counts = by.isBy ? isKey : !isKey && column.key != "__name__";
    const std::uint32_t code = column.codes[row];
    if (counts && code > 0) text += column.key + "=" + std::string(column.texts[code - 1]) + ",";
  }
  return text;
}

Rows foldedRows(const StepTable& table, const StepPlan& plan) {
  std::map<std::string, std::vector<std::vector<double>>> groups;
  for (std::size_t row = 0; row < table.rowCount; ++row) {
    auto& group = groups[groupOf(*table.labels, row, plan.fold->by)];
    group.resize(plan.grid.count);
    const Row values = rowOf(table, row, plan.grid.count);
    for (std::size_t step = 0; step < values.size(); ++step) {
      if (values[step]) group[step].push_back(*values[step]);
    }
  }
  Rows rows;
  for (const auto& [labels, steps] : groups) {
    for (const std::vector<double>& values : steps) {
      rows[labels].push_back(values.empty() ? Naive() : naiveFold(plan.fold->op, values));
    }
  }
  return rows;
}

LabelChoice randomChoice(StepWorld& world) {
  LabelChoice choice{world.random() % 2 == 0, {}};
  for (const char* key : {"host", "n", "z", "none", "__name__"}) {
    if (world.random() % 3 == 0) choice.keys.emplace_back(key);
  }
  return choice;
}

Status statusOf(Database& database, StepPlan plan) {
  auto reader = StepReader::make(database.engine(), std::move(plan));
  if (!reader.ok()) return reader.status();
  StepTable table;
  bool isEnd = false;
  return reader.value()->next(table, isEnd);
}

}  // namespace

TEST("a folded query equals its rows folded in their order") {
  StepWorld world(seed(), TimestampUnit::kMilliseconds);
  for (std::size_t i = 0; i < rounds(kFolds * 20); ++i) {
    StepPlan plan = world.randomPlan(static_cast<StepFunction>(3 + world.random() % 20));
    if (i % 5 == 0) plan.grid.count = 3000;  // Enough steps for several threads.
    for (auto& argument : plan.arguments) argument.resize(1);
    const StepTable rows = answerOf(world.database(), plan, 1);
    plan.fold = StepFolding{static_cast<StepFold>(i % kFolds), randomChoice(world)};
    const StepTable folded = answerOf(world.database(), plan, 1 + i % 4);
    REQUIRE(areSame(rowsOf(folded, plan.grid.count), foldedRows(rows, plan)));
  }
}

TEST("a mean is finite even if the sum of its values overflows a double") {
  FoldCells cells(StepFold::kAvg, 1, 1);
  double value = 1.7e308;
  std::uint8_t present = 1;
  for (int i = 0; i < 4; ++i) cells.add(0, {{&value, 1}, {&present, 1}}, 0, 1);
  cells.finish(0, {{&value, 1}, {&present, 1}});
  EXPECT(std::fabs(value - 1.7e308) < 1e293);
}

TEST("limits apply to series, samples and held cells") {
  StepWorld world(seed(), TimestampUnit::kMilliseconds);
  StepPlan plan = world.randomPlan(StepFunction::kPresent);
  plan.grid = {0, 100'000, 40};
  plan.window = 2 * kEnd;
  plan.offset = 0;
  const std::size_t rows = answerOf(world.database(), plan, 1).rowCount;
  const auto with = [&](auto change) {
    StepPlan limited = plan;
    change(limited);
    return statusOf(world.database(), limited).code();
  };
  EXPECT(with([](StepPlan& one) { one.limits.seriesMax = kSeriesCount - 1; }) ==
         StatusCode::kQueryLimit);
  EXPECT(with([](StepPlan& one) { one.limits.read.samplesMax = 10; }) == StatusCode::kQueryLimit);
  EXPECT(with([&](StepPlan& one) { one.limits.cellsMax = 40 * rows - 1; }) ==
         StatusCode::kQueryLimit);
  EXPECT(with([&](StepPlan& one) { one.limits.cellsMax = 40 * rows; }) == StatusCode::kOk);
  StepPlan list = plan;
  list.function = StepFunction::kSamples;
  list.grid = {kEnd, 1, 1};
  list.limits.cellsMax = answerOf(world.database(), list, 1).values.size();
  EXPECT(statusOf(world.database(), list).ok());
  --list.limits.cellsMax;
  EXPECT(statusOf(world.database(), list).code() == StatusCode::kQueryLimit);
  plan.fold = StepFolding{StepFold::kSum, {true, {"host"}}};
  EXPECT(with([](StepPlan& one) { one.limits.cellsMax = 40 * 3 - 1; }) == StatusCode::kQueryLimit);
  EXPECT(with([](StepPlan& one) { one.limits.cellsMax = 40 * 3; }) == StatusCode::kOk);
  EXPECT(with([](StepPlan& one) { one.limits.read.deadlineNanos = 1; }) ==
         StatusCode::kQueryTimeout);
  EXPECT(with([](StepPlan& one) { one.arguments = {{1}}; }) == StatusCode::kInvalidArgument);
}

TEST("a cancelled query ends, before its start or while it runs") {
  StepWorld world(seed(), TimestampUnit::kMilliseconds);
  StepPlan plan = world.randomPlan(StepFunction::kQuantile);
  plan.grid = {0, 1, 4'000'000};
  plan.window = kEnd;
  plan.arguments = {{0.5}};
  auto reader = StepReader::make(world.database().engine(), plan);
  REQUIRE(reader.ok());
  std::thread later([&reader] { reader.value()->cancel(); });
  StepTable table;
  bool isEnd = false;
  EXPECT(reader.value()->next(table, isEnd).code() == StatusCode::kClosed);
  later.join();
}
