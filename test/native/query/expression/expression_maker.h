// Random programs of expressions, and invariants of their results.
#pragma once

#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "query/expression/expression.h"
#include "query/expression/expression_kernels.h"
#include "query/expression/expression_machine.h"

namespace seriesdb::test {

inline constexpr std::size_t kSeries = 3;

inline double anyDouble(std::mt19937_64& random) {
  constexpr double kSome[] = {0, -0.0, 1.5, -2.5, 1e300, -1e300, 5e-324, 9223372036854775808.0};
  if (random() % 3 == 0) return std::numeric_limits<double>::quiet_NaN();
  return random() % 2 == 0 ? kSome[random() % 8] : static_cast<double>(random() % 1000) / 8;
}

inline std::int64_t anyInteger(std::mt19937_64& random) {
  constexpr std::int64_t kSome[] = {0, 1, -1, INT64_MIN, INT64_MAX, 12, 1000, -7};
  return random() % 2 == 0 ? kSome[random() % 8] : static_cast<std::int64_t>(random());
}

inline SeriesColumn anyColumn(std::mt19937_64& random) {
  SeriesColumn column;
  column.type = static_cast<RegisterType>(random() % 3);
  // Sometimes too few values.
  for (std::size_t i = random() % 50 == 0 ? 1 : 0; i < kSeries; ++i) {
    if (column.type == RegisterType::kInteger) column.integers.push_back(anyInteger(random));
    if (column.type == RegisterType::kInteger) column.nulls.push_back(random() % 2);
    if (column.type == RegisterType::kFloat) column.floats.push_back(anyDouble(random));
    if (column.type == RegisterType::kBoolean) column.booleans.push_back(random() % 3);
  }
  return column;
}

// Mostly well-formed, because steps that do not fit are left out.
inline ExpressionText anyText(std::mt19937_64& random) {
  ExpressionText text;
  for (int i = 0; i < 4; ++i) text.integers.push_back(anyInteger(random));
  // Sometimes enough constants for the powers of ten.
  const std::size_t floats = random() % 4 == 0 ? kRoundingPowers + 2 : 4;
  for (std::size_t i = 0; i < floats; ++i) text.floats.push_back(anyDouble(random));
  for (int i = 0; i < 2; ++i) text.columns.push_back(anyColumn(random));
  const std::uint64_t wanted = random() % 60;
  for (std::uint64_t i = 0; i < wanted; ++i) {
    const std::uint64_t reach = random() % 100 == 0 ? UINT32_MAX : text.steps.size() + 2;
    const auto operand = [&] { return static_cast<std::uint32_t>(random() % reach); };
    const auto op = static_cast<ExpressionOp>(random() % (kExpressionOps + 1));
    text.steps.push_back({op, operand(), operand(), operand()});
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

// True if a lane of `whole` equals the first lane of `single`, and its value is valid.
inline bool sameLane(const ExpressionMachine& whole, std::size_t lane,
                     const ExpressionMachine& single, const Expression& expression,
                     std::size_t output) {
  switch (expression.outputType(output)) {
    case RegisterType::kInteger:
      if (whole.nulls(output)[lane] != single.nulls(output)[0]) return false;
      return whole.nulls(output)[lane] != 0 ||
             whole.integers(output)[lane] == single.integers(output)[0];
    case RegisterType::kFloat: {
      const double a = whole.floats(output)[lane];
      const double b = single.floats(output)[0];
      return std::isnan(a) ? std::isnan(b) : a == b && !std::isinf(a);
    }
    case RegisterType::kBoolean:
      break;
  }
  const std::uint8_t found = whole.booleans(output)[lane];
  return found <= kTrue && found == single.booleans(output)[0];
}

// True if a machine gives the same results one sample at a time as for all samples at once.
inline bool sameLanes(const Expression& expression, const Block& block) {
  ExpressionMachine whole(expression);
  ExpressionMachine single(expression);
  whole.beginSeries(1);
  single.beginSeries(0);
  single.beginSeries(1);
  whole.run(block.ts, block.values);
  for (std::size_t i = 0; i < block.ts.size(); ++i) {
    single.run(std::span(block.ts).subspan(i, 1), std::span(block.values).subspan(i, 1));
    for (std::size_t output = 0; output < expression.outputCount(); ++output) {
      if (!sameLane(whole, i, single, expression, output)) return false;
    }
  }
  return true;
}

}  // namespace seriesdb::test
