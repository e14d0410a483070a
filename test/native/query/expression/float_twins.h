// The loops of expression/expression_kernels.h over floats and booleans, against plain loops.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "harness.h"
#include "query/expression/expression_kernels.h"
#include "query/expression/kernel_inputs.h"

namespace seriesdb::twins {
namespace {

constexpr double kNoNumber = std::numeric_limits<double>::quiet_NaN();

double finiteOrNull(double x) { return std::isfinite(x) ? x : kNoNumber; }

double plainFloat(ExpressionOp op, double x, double y) {
  switch (op) {
    case ExpressionOp::kAdd:
      return finiteOrNull(x + y);
    case ExpressionOp::kSubtract:
      return finiteOrNull(x - y);
    case ExpressionOp::kMultiply:
      return finiteOrNull(x * y);
    case ExpressionOp::kDivide:
      return finiteOrNull(x / y);
    case ExpressionOp::kModulo:
      return finiteOrNull(std::fmod(x, y));
    default:
      break;
  }
  if (std::isnan(x)) return y;
  if (std::isnan(y) || op == ExpressionOp::kCoalesce) return x;
  if (op == ExpressionOp::kGreatest) return y > x ? y : x;
  return y < x ? y : x;
}

double plainFloat(ExpressionOp op, double x) {
  switch (op) {
    case ExpressionOp::kNegate:
      return -x;
    case ExpressionOp::kAbsolute:
      return std::signbit(x) ? -x : x;
    case ExpressionOp::kSign:
      return x > 0 ? 1 : x < 0 ? -1 : x;
    case ExpressionOp::kCeil:
      return std::ceil(x);
    case ExpressionOp::kFloor:
      return std::floor(x);
    case ExpressionOp::kTruncate:
      return std::signbit(x) ? std::ceil(x) : std::floor(x);
    default:
      return std::sqrt(x);
  }
}

double plainRound(double x, double factor, bool divides) {
  const double scaled = divides ? x / factor : x * factor;
  if (std::isinf(scaled)) return x;
  const double whole = std::round(scaled);  // Rounds half away from zero.
  return finiteOrNull(divides ? whole * factor : whole / factor);
}

template <typename A, typename B>
bool plainHolds(ExpressionComparison how, A a, B b) {
  switch (how) {
    case ExpressionComparison::kEqual:
      return a == b;
    case ExpressionComparison::kNotEqual:
      return a != b;
    case ExpressionComparison::kLess:
      return a < b;
    case ExpressionComparison::kLessEqual:
      return a <= b;
    case ExpressionComparison::kGreater:
      return a > b;
    default:
      return a >= b;
  }
}

std::uint8_t plainTruth(bool isNull, bool holds) {
  if (isNull) return kUnknown;
  return holds ? kTrue : kFalse;
}

std::uint8_t plainBoolean(ExpressionOp op, std::uint8_t x, std::uint8_t y) {
  switch (op) {
    case ExpressionOp::kAnd:
      if (x == kFalse || y == kFalse) return kFalse;
      return x == kUnknown || y == kUnknown ? kUnknown : kTrue;
    case ExpressionOp::kOr:
      if (x == kTrue || y == kTrue) return kTrue;
      return x == kUnknown || y == kUnknown ? kUnknown : kFalse;
    default:
      break;
  }
  if (x == kUnknown) return y;
  if (y == kUnknown || op == ExpressionOp::kCoalesce) return x;
  const bool isAny = x == kTrue || y == kTrue;
  const bool isEvery = x == kTrue && y == kTrue;
  return (op == ExpressionOp::kGreatest ? isAny : isEvery) ? kTrue : kFalse;
}

void noteDifference(const char* what, int code, std::size_t lane, std::size_t size) {
  test::fail(__FILE__, __LINE__,
             std::string(what) + " " + std::to_string(code) + ", lane " + std::to_string(lane) +
                 " of " + std::to_string(size));
}

bool sameLane(double a, double b) { return test::sameNumber(a, b); }
bool sameLane(std::uint8_t a, std::uint8_t b) { return a == b; }

// Two lists of lanes, combined into a third list or into one of the two.
template <typename T>
struct Pairs {
  test::Placed<T> a;
  test::Placed<T> b;

  template <typename Kernel, typename Twin>
  void compare(const char* what, int code, Kernel kernel, Twin twin) const {
    const std::size_t size = a.size();
    for (int place = 0; place < 3; ++place) {
      test::Placed<T> x = a;
      test::Placed<T> y = b;
      test::Placed<T> z(size, static_cast<std::size_t>(place + 1));
      test::Placed<T>& out = place == 0 ? z : place == 1 ? x : y;
      kernel(size, x.data(), y.data(), out.data());
      for (std::size_t i = 0; i < size; ++i) {
        if (!sameLane(out[i], twin(a[i], b[i]))) noteDifference(what, code, i, size);
      }
    }
  }
};

Pairs<double> floatPairs(std::size_t size, std::size_t offset, test::Random& random) {
  const auto make = [&] { return test::anyFloat(random); };
  Pairs<double> pairs{{size, offset, make}, {size, random() % 8, make}};
  // Equal values are rare among random ones.
  for (std::size_t i = 0; i < size; ++i) {
    if (random() % 4 == 0) pairs.b.data()[i] = pairs.a[i];
  }
  return pairs;
}

TEST(KERNEL_NAME ": operations on two floats equal a plain loop") {
  if (!(KERNEL_RUNS)) return;
  test::Random random(test::seed() + 10);
  test::forEachPlace([&](std::size_t size, std::size_t offset) {
    for (const ExpressionOp op :
         {ExpressionOp::kAdd, ExpressionOp::kSubtract, ExpressionOp::kMultiply,
          ExpressionOp::kDivide, ExpressionOp::kModulo, ExpressionOp::kGreatest,
          ExpressionOp::kLeast, ExpressionOp::kCoalesce}) {
      floatPairs(size, offset, random)
          .compare(
              "pair", static_cast<int>(op),
              [op](auto n, const double* a, const double* b, double* out) {
                runFloatPair(op, n, a, b, out);
              },
              [op](double x, double y) { return plainFloat(op, x, y); });
    }
  });
}

TEST(KERNEL_NAME ": operations on one float equal a plain loop") {
  if (!(KERNEL_RUNS)) return;
  test::Random random(test::seed() + 11);
  test::forEachPlace([&](std::size_t size, std::size_t offset) {
    for (const ExpressionOp op :
         {ExpressionOp::kNegate, ExpressionOp::kAbsolute, ExpressionOp::kSign, ExpressionOp::kCeil,
          ExpressionOp::kFloor, ExpressionOp::kTruncate, ExpressionOp::kRoot}) {
      floatPairs(size, offset, random)
          .compare(
              "one", static_cast<int>(op),
              [op](auto n, const double* a, const double*, double* out) {
                runFloatOne(op, n, a, out);
              },
              [op](double x, double) { return plainFloat(op, x); });
    }
  });
}

TEST(KERNEL_NAME ": floats are rounded half away from zero, like a plain loop") {
  if (!(KERNEL_RUNS)) return;
  test::Random random(test::seed() + 12);
  test::forEachPlace([&](std::size_t size, std::size_t offset) {
    const auto digits = static_cast<int>(random() % (random() % 2 == 0 ? 4 : kRoundingPowers));
    const double factor = std::pow(10.0, digits);
    for (const bool divides : {false, true}) {
      floatPairs(size, offset, random)
          .compare(
              divides ? "before the point" : "after the point", digits,
              [=](auto n, const double* a, const double*, double* out) {
                roundFloats(n, a, factor, divides, out);
              },
              [=](double x, double) { return plainRound(x, factor, divides); });
    }
  });
}

TEST(KERNEL_NAME ": comparisons of floats equal a plain loop") {
  if (!(KERNEL_RUNS)) return;
  test::Random random(test::seed() + 13);
  test::forEachPlace([&](std::size_t size, std::size_t offset) {
    for (int code = 0; code < 6; ++code) {
      const auto how = static_cast<ExpressionComparison>(code);
      Pairs<double> pairs = floatPairs(size, offset, random);
      test::Placed<std::uint8_t> out(size, offset);
      compareFloats(how, size, pairs.a.data(), pairs.b.data(), out.data());
      for (std::size_t i = 0; i < size; ++i) {
        const double a = pairs.a[i];
        const double b = pairs.b[i];
        const bool isNull = std::isnan(a) || std::isnan(b);
        if (out[i] != plainTruth(isNull, plainHolds(how, a, b))) {
          noteDifference("comparison", code, i, size);
        }
      }
    }
  });
}

TEST(KERNEL_NAME ": three-valued boolean logic equals a plain loop") {
  if (!(KERNEL_RUNS)) return;
  test::Random random(test::seed() + 14);
  test::forEachPlace([&](std::size_t size, std::size_t offset) {
    const auto make = [&] { return static_cast<std::uint8_t>(random() % 3); };
    const Pairs<std::uint8_t> pairs{{size, offset, make}, {size, random() % 64, make}};
    for (const ExpressionOp op : {ExpressionOp::kAnd, ExpressionOp::kOr, ExpressionOp::kGreatest,
                                  ExpressionOp::kLeast, ExpressionOp::kCoalesce}) {
      pairs.compare(
          "booleans", static_cast<int>(op),
          [op](auto n, auto* a, auto* b, auto* out) { runBooleanPair(op, n, a, b, out); },
          [op](std::uint8_t x, std::uint8_t y) { return plainBoolean(op, x, y); });
    }
    for (int code = 0; code < 6; ++code) {
      const auto how = static_cast<ExpressionComparison>(code);
      pairs.compare(
          "comparison of booleans", code,
          [how](auto n, auto* a, auto* b, auto* out) { compareBooleans(how, n, a, b, out); },
          [how](std::uint8_t x, std::uint8_t y) {
            return plainTruth(x == kUnknown || y == kUnknown, plainHolds(how, x, y));
          });
    }
  });
}

}  // namespace
}  // namespace seriesdb::twins
