// Programs from outside: random ones are refused or run within bounds (sanitizers check that), and
// edge cases of single steps.
#include "query/expression/expression.h"

#include <cmath>
#include <limits>
#include <random>

#include "harness.h"
#include "query/expression/expression_kernels.h"
#include "query/expression/expression_machine.h"
#include "query/expression/expression_maker.h"
#include "query/expression/math_functions.h"

using namespace seriesdb;

namespace {

using Op = ExpressionOp;

// The value of the last step for one sample.
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

TEST("random expression steps are refused, or give the same result in every lane") {
  std::mt19937_64 random(test::seed());
  std::size_t taken = 0;
  for (int round = 0; round < 1500; ++round) {
    const auto expression = Expression::make(test::anyText(random), test::kSeries);
    if (!expression.ok()) continue;
    ++taken;
    test::Block block;
    for (std::uint64_t i = random() % (round % 100 == 0 ? ExpressionMachine::kLanes + 1 : 20);
         i > 0; --i) {
      block.ts.push_back(test::anyInteger(random));
      const double value = test::anyDouble(random);
      block.values.push_back(std::isnan(value) ? 3 : value);
    }
    EXPECT(test::sameLanes(expression.value(), block));
  }
  EXPECT(taken > 300);
}

TEST("an expression has limits of steps and outputs, and needs valid outputs") {
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

TEST("integer operations give null on overflow, and round correctly at the limits") {
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

TEST("times at both ends of int64 get separate buckets") {
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

TEST("floats are rounded to the number of digits that each sample gives") {
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

TEST("math functions equal those of the library, with null for results that are not finite") {
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

TEST("month buckets of an expression follow the calendar") {
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
