#include "query/expression/expression.h"

#include <cmath>

#include "common/base/check.h"
#include "query/expression/expression_maker.h"
#include "target.h"

using namespace seriesdb;
using namespace seriesdb::fuzz;

namespace {

using test::kSeries;

// A flag in the number of floats: the powers of ten follow the others.
constexpr std::uint8_t kHasPowers = 0x80;
constexpr std::size_t kSamples = 5;

void appendColumn(ByteBuffer& out, const SeriesColumn& column) {
  out.push_back(static_cast<std::uint8_t>(column.type));
  for (std::size_t i = 0; i < column.integers.size(); ++i) {
    appendLe(out, column.integers[i]);
    out.push_back(column.nulls[i]);
  }
  for (const double value : column.floats) appendLe(out, value);
  for (const std::uint8_t value : column.booleans) out.push_back(value);
}

ByteBuffer bytesOf(const ExpressionText& text, const test::Block& block) {
  ByteBuffer out;
  for (const Timestamp ts : block.ts) appendLe(out, ts);
  for (const double value : block.values) appendLe(out, value);
  out.push_back(static_cast<std::uint8_t>(text.integers.size()));
  for (const std::int64_t value : text.integers) appendLe(out, value);
  const std::size_t floats = std::min<std::size_t>(text.floats.size(), 4);
  out.push_back(
      static_cast<std::uint8_t>(text.floats.size() > floats ? floats | kHasPowers : floats));
  for (std::size_t i = 0; i < floats; ++i) appendLe(out, text.floats[i]);
  out.push_back(static_cast<std::uint8_t>(text.columns.size()));
  for (const SeriesColumn& column : text.columns) appendColumn(out, column);
  out.push_back(static_cast<std::uint8_t>(text.outputs.size()));
  for (const std::uint32_t output : text.outputs) appendVarint(out, output);
  for (const ExpressionStep& step : text.steps) {
    out.push_back(static_cast<std::uint8_t>(step.op));
    for (const std::uint32_t operand : {step.a, step.b, step.c}) appendVarint(out, operand);
  }
  return out;
}

// Samples and constants are finite or NaN.
double readFloat(ByteReader& in) {
  const auto value = in.readLe<double>();
  return std::isinf(value) ? 0 : value;
}

SeriesColumn readColumn(ByteReader& in) {
  SeriesColumn column;
  column.type = static_cast<RegisterType>(in.readLe<std::uint8_t>() % 3);
  for (std::size_t i = 0; i < kSeries; ++i) {
    if (column.type == RegisterType::kInteger) {
      column.integers.push_back(in.readLe<std::int64_t>());
      column.nulls.push_back(in.readLe<std::uint8_t>() & 1);
    }
    if (column.type == RegisterType::kFloat) column.floats.push_back(readFloat(in));
    if (column.type == RegisterType::kBoolean) column.booleans.push_back(in.readLe<std::uint8_t>());
  }
  return column;
}

ExpressionText readText(ByteReader& in) {
  ExpressionText text;
  for (auto left = in.readLe<std::uint8_t>(); left > 0 && in.ok(); --left) {
    text.integers.push_back(in.readLe<std::int64_t>());
  }
  const auto floats = in.readLe<std::uint8_t>();
  for (auto left = floats & ~kHasPowers; left > 0 && in.ok(); --left) {
    text.floats.push_back(readFloat(in));
  }
  for (std::size_t i = 0; (floats & kHasPowers) != 0 && i < kRoundingPowers; ++i) {
    text.floats.push_back(std::pow(10.0, static_cast<double>(i)));
  }
  for (auto left = in.readLe<std::uint8_t>(); left > 0 && in.ok(); --left) {
    text.columns.push_back(readColumn(in));
  }
  for (auto left = in.readLe<std::uint8_t>(); left > 0 && in.ok(); --left) {
    text.outputs.push_back(static_cast<std::uint32_t>(in.readVarint()));
  }
  while (in.ok() && !in.atEnd()) {
    ExpressionStep& step = text.steps.emplace_back();
    step.op = static_cast<ExpressionOp>(in.readLe<std::uint8_t>());
    for (std::uint32_t* operand : {&step.a, &step.b, &step.c}) {
      *operand = static_cast<std::uint32_t>(in.readVarint());
    }
  }
  return text;
}

std::vector<ByteBuffer> makeExpressions(Random& random) {
  std::vector<ByteBuffer> all;
  while (all.size() < 40) {
    const ExpressionText text = test::anyText(random);
    if (!Expression::make(text, kSeries).ok()) continue;
    test::Block block;
    for (std::size_t i = 0; i < kSamples; ++i) {
      block.ts.push_back(test::anyInteger(random));
      block.values.push_back(static_cast<double>(random() % 1000) / 8);
    }
    all.push_back(bytesOf(text, block));
  }
  return all;
}

bool runExpression(Bytes input) {
  ByteReader in(input);
  test::Block block;
  for (std::size_t i = 0; i < kSamples; ++i) block.ts.push_back(in.readLe<Timestamp>());
  for (std::size_t i = 0; i < kSamples; ++i) block.values.push_back(readFloat(in));
  const auto expression = Expression::make(readText(in), kSeries);
  if (!in.ok()) return false;
  if (!expression.ok()) {
    CHECK(expression.status().code() == StatusCode::kInvalidArgument);
    return false;
  }
  CHECK(test::sameLanes(expression.value(), block));
  return true;
}

const Registration registration{{
    .name = "expression",
    .sentence = "an expression is refused, or answers for each sample as for all of them",
    .read = &runExpression,
    .seeds = &makeExpressions,
}};

}  // namespace
