// Programs from outside: random ones are refused or run within their bounds (the sanitizers look
// on), and the edges of single steps.
#include "query/expression.h"

#include <cmath>
#include <limits>
#include <random>

#include "harness.h"
#include "query/expression_kernels.h"
#include "query/expression_machine.h"
#include "query/math_functions.h"

using namespace seriesdb;

namespace {

using Op = ExpressionOp;

constexpr std::size_t kSeries = 3;

double anyDouble(std::mt19937_64& random) {
  constexpr double kSome[] = {0, -0.0, 1.5, -2.5, 1e300, -1e300, 5e-324, 9223372036854775808.0};
  if (random() % 3 == 0) return std::numeric_limits<double>::quiet_NaN();
  return random() % 2 == 0 ? kSome[random() % 8] : static_cast<double>(random() % 1000) / 8;
}

std::int64_t anyInteger(std::mt19937_64& random) {
  constexpr std::int64_t kSome[] = {0, 1, -1, INT64_MIN, INT64_MAX, 12, 1000, -7};
  return random() % 2 == 0 ? kSome[random() % 8] : static_cast<std::int64_t>(random());
}

SeriesColumn anyColumn(std::mt19937_64& random) {
  SeriesColumn column;
  column.type = static_cast<RegisterType>(random() % 3);
  // Now and then too few.
  for (std::size_t i = random() % 50 == 0 ? 1 : 0; i < kSeries; ++i) {
    if (column.type == RegisterType::kInteger) column.integers.push_back(anyInteger(random));
    if (column.type == RegisterType::kInteger) column.nulls.push_back(random() % 2);
    if (column.type == RegisterType::kFloat) column.floats.push_back(anyDouble(random));
    if (column.type == RegisterType::kBoolean) column.booleans.push_back(random() % 3);
  }
  return column;
}

// Mostly well-formed, since steps that do not fit are left out as they come.
ExpressionText anyText(std::mt19937_64& random) {
  ExpressionText text;
  for (int i = 0; i < 4; ++i) text.integers.push_back(anyInteger(random));
  // Now and then enough of them for the powers of ten.
  const std::size_t floats = random() % 4 == 0 ? kRoundingPowers + 2 : 4;
  for (std::size_t i = 0; i < floats; ++i) text.floats.push_back(anyDouble(random));
  for (int i = 0; i < 2; ++i) text.columns.push_back(anyColumn(random));
  const std::uint64_t wanted = random() % 60;
  for (std::uint64_t i = 0; i < wanted; ++i) {
    const std::uint64_t reach = random() % 100 == 0 ? UINT32_MAX : text.steps.size() + 2;
    const auto operand = [&] { return static_cast<std::uint32_t>(random() % reach); };
    text.steps.push_back(
        {static_cast<Op>(random() % (kExpressionOps + 1)), operand(), operand(), operand()});
    text.outputs = {0};
    const bool keepsBad = random() % 200 == 0;
    if (!keepsBad && !Expression::make(text, kSeries).ok()) text.steps.pop_back();
  }
  text.outputs.clear();
  for (std::uint64_t i = random() % 4; i > 0; --i) {
    text.outputs.push_back(static_cast<std::uint32_t>(random() % (text.steps.size() + 1)));
  }
  return text;
}

struct Block {
  std::vector<Timestamp> ts;
  std::vector<double> values;
};

// What a machine answers for one sample after another must be what it answers for all at once.
void checkLanes(const Expression& expression, const Block& block) {
  ExpressionMachine whole(expression);
  ExpressionMachine single(expression);
  whole.beginSeries(1);
  single.beginSeries(0);
  single.beginSeries(1);
  whole.run(block.ts, block.values);
  for (std::size_t i = 0; i < block.ts.size(); ++i) {
    single.run(std::span(block.ts).subspan(i, 1), std::span(block.values).subspan(i, 1));
    for (std::size_t output = 0; output < expression.outputCount(); ++output) {
      switch (expression.outputType(output)) {
        case RegisterType::kInteger:
          EXPECT(whole.nulls(output)[i] == single.nulls(output)[0]);
          if (whole.nulls(output)[i] == 0) {
            EXPECT(whole.integers(output)[i] == single.integers(output)[0]);
          }
          break;
        case RegisterType::kFloat: {
          const double a = whole.floats(output)[i];
          const double b = single.floats(output)[0];
          EXPECT(std::isnan(a) ? std::isnan(b) : a == b && !std::isinf(a));
          break;
        }
        case RegisterType::kBoolean:
          EXPECT(whole.booleans(output)[i] <= kTrue);
          EXPECT(whole.booleans(output)[i] == single.booleans(output)[0]);
          break;
      }
    }
  }
}

// The one value that the last step gives for a sample.
struct Outcome {
  bool isNull;
  std::int64_t integer;
};
Outcome integerOf(std::vector<ExpressionStep> steps, std::vector<std::int64_t> constants,
                  Timestamp ts) {
  ExpressionText text;
  text.outputs = {static_cast<std::uint32_t>(steps.size() - 1)};
  text.steps = std::move(steps);
  text.integers = std::move(constants);
  const auto expression = Expression::make(std::move(text), 0);
  EXPECT(expression.ok());
  ExpressionMachine machine(expression.value());
  const double value = 0;
  machine.run(std::span(&ts, 1), std::span(&value, 1));
  return {machine.nulls(0)[0] != 0, machine.integers(0)[0]};
}

}  // namespace

TEST("an expression of random steps is refused or runs lane by lane") {
  std::mt19937_64 random(test::seed());
  std::size_t taken = 0;
  for (int round = 0; round < 1500; ++round) {
    const auto expression = Expression::make(anyText(random), kSeries);
    if (!expression.ok()) continue;
    ++taken;
    Block block;
    for (std::uint64_t i = random() % (round % 100 == 0 ? ExpressionMachine::kLanes + 1 : 20);
         i > 0; --i) {
      block.ts.push_back(anyInteger(random));
      const double value = anyDouble(random);
      block.values.push_back(std::isnan(value) ? 3 : value);
    }
    checkLanes(expression.value(), block);
  }
  EXPECT(taken > 300);
}

TEST("an expression has limits") {
  ExpressionText text;
  text.steps.assign(Expression::kStepsMax, {Op::kTime});
  text.outputs = {0};
  EXPECT(Expression::make(text, 0).ok());
  text.steps.push_back({Op::kTime});
  EXPECT(!Expression::make(text, 0).ok());
  text.steps.resize(1);
  text.outputs.assign(Expression::kOutputsMax + 1, 0);
  EXPECT(!Expression::make(text, 0).ok());
  text.outputs.clear();
  EXPECT(!Expression::make(text, 0).ok());
  text.outputs = {1};
  EXPECT(!Expression::make(text, 0).ok());
}

TEST("an expression of integers knows their edges") {
  const ExpressionStep time{Op::kTime};
  const ExpressionStep constant{Op::kInteger, 0};
  const auto two = [&](Op op, std::int64_t b, Timestamp a) {
    return integerOf({time, constant, {op, 0, 1}}, {b}, a);
  };
  EXPECT(two(Op::kAdd, 1, INT64_MAX).isNull);
  EXPECT(two(Op::kSubtract, 1, INT64_MIN).isNull);
  EXPECT(two(Op::kMultiply, -1, INT64_MIN).isNull);
  EXPECT(two(Op::kModulo, 0, 5).isNull);
  EXPECT(two(Op::kModulo, -1, INT64_MIN).integer == 0);
  EXPECT(two(Op::kModulo, 3, -7).integer == -1);
  EXPECT(integerOf({time, {Op::kNegate, 0}}, {}, INT64_MIN).isNull);
  EXPECT(integerOf({time, {Op::kAbsolute, 0}}, {}, INT64_MIN).isNull);
  EXPECT(integerOf({time, {Op::kRound, 0, 0, 19}}, {}, INT64_MAX).isNull);
  EXPECT(integerOf({time, {Op::kRound, 0, 0, 1}}, {}, -15).integer == -20);
  const auto roundTo = [&](std::int64_t digits, Timestamp a) {
    return two(Op::kRoundTo, digits, a);
  };
  EXPECT(roundTo(1, -15).integer == -15);
  EXPECT(roundTo(-1, -15).integer == -20);
  EXPECT(roundTo(-19, INT64_MAX).isNull);
  EXPECT(roundTo(-20, INT64_MAX).integer == 0 && !roundTo(-20, INT64_MAX).isNull);
  EXPECT(roundTo(INT64_MIN, 5).integer == 0);
  EXPECT(roundTo(INT64_MAX, 5).integer == 5);
  const auto bucket = [&](std::int64_t width, std::int64_t origin, Timestamp ts) {
    return integerOf({time, {Op::kBucket, 0, 0, 1}}, {width, origin}, ts);
  };
  EXPECT(bucket(10, 0, -1).integer == -10);
  EXPECT(bucket(1000, 1, INT64_MIN).isNull);
  EXPECT(bucket(1000, INT64_MIN, INT64_MAX).integer == INT64_MAX - 615);
}

TEST("the last bucket of int64 holds nothing of the first") {
  ExpressionText text;
  text.steps = {{Op::kTime}, {Op::kBucket, 0, 0, 1}};
  text.integers = {1000, 0};
  text.outputs = {1};
  const auto expression = Expression::make(std::move(text), 0);
  REQUIRE(expression.ok());
  ExpressionMachine machine(expression.value());
  const Timestamp ts[] = {INT64_MAX, INT64_MIN, INT64_MIN + 900};
  const double values[] = {0, 0, 0};
  machine.run(ts, values);
  EXPECT(machine.nulls(0)[0] == 0 && machine.integers(0)[0] == INT64_MAX - 807);
  EXPECT(machine.nulls(0)[1] != 0);
  EXPECT(machine.nulls(0)[2] == 0 && machine.integers(0)[2] == INT64_MIN + 808);
}

TEST("an expression of floats rounds to digits of each sample's own") {
  ExpressionText text;
  for (std::size_t i = 0; i < kRoundingPowers; ++i) {
    text.floats.push_back(std::pow(10.0, static_cast<double>(i)));
  }
  text.steps = {{Op::kTime}, {Op::kValue}, {Op::kRoundTo, 1, 0, 0}};
  text.outputs = {2};
  const Result<Expression> made = Expression::make(text, 0);
  REQUIRE(made.ok());
  constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
  const std::vector<Timestamp> digits = {1, 0, -1, -2, 308, 309, -309, INT64_MIN, INT64_MAX, 2};
  const std::vector<double> values = {2.25, -2.5, 25, 49, 1.5, 1.5, 1.5, -7, -7, kNan};
  const double wanted[] = {2.3, -3, 30, 0, 1.5, 1.5, 0, 0, -7, kNan};
  ExpressionMachine machine(made.value());
  machine.beginSeries(0);
  machine.run(digits, values);
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double found = machine.floats(0)[i];
    EXPECT(std::isnan(wanted[i]) ? std::isnan(found) : found == wanted[i]);
  }
  text.floats.pop_back();
  EXPECT(!Expression::make(text, 0).ok());
  text.floats.push_back(0);
  text.steps.back().c = 1;
  EXPECT(!Expression::make(text, 0).ok());
}

TEST("an expression takes its functions from the library, nulls apart") {
  constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
  const double some[] = {0, -0.0, 1, -1, 0.5, 2, 10, 1e300, -1e300, 5e-324, 710, kNan};
  for (std::uint32_t code = 0; code < kMathFunctions; ++code) {
    const auto function = static_cast<MathFunction>(code);
    for (const double x : some) {
      for (const double y : some) {
        double found;
        runMath(function, 1, &x, &y, &found);
        const double wanted = mathOf(function, x, y);
        EXPECT(std::isfinite(wanted) ? found == wanted : std::isnan(found));
      }
    }
  }
  EXPECT(std::isnan(mathOf(MathFunction::kPower, kNan, 0)));
  EXPECT(std::isnan(mathOf(MathFunction::kPower, 1, kNan)));
  EXPECT(mathOf(MathFunction::kPower, 2, 0.5) == std::sqrt(2.0));
  EXPECT(mathOf(MathFunction::kLog10, 1000, 0) == 3);
  ExpressionText text;
  text.steps = {{Op::kValue}, {Op::kMath, 0, 0, kMathFunctions - 1}};
  text.outputs = {1};
  EXPECT(Expression::make(text, 0).ok());
  text.steps.back().c = kMathFunctions;
  EXPECT(!Expression::make(text, 0).ok());
  text.steps = {{Op::kTime}, {Op::kMath, 0, 0, 0}};
  EXPECT(!Expression::make(text, 0).ok());
}

TEST("an expression of months follows the calendar") {
  const auto months = [](std::int64_t count, Timestamp ts) {
    return integerOf({{Op::kTime}, {Op::kMonths, 0, 0, 1}}, {count, 1}, ts);
  };
  constexpr std::int64_t kDay = 86'400;
  EXPECT(months(1, 0).integer == 0);
  EXPECT(months(1, 31 * kDay).integer == 31 * kDay);
  EXPECT(months(1, 31 * kDay - 1).integer == 0);
  EXPECT(months(12, -1).integer == -365 * kDay);
  EXPECT(months(1, 11'016 * kDay + 5).integer == 10'988 * kDay);  // 2000-02-29
  EXPECT(months(1, INT64_MAX).isNull);
}
