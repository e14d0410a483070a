// The loops of expression/expression_kernels.h over integers, against plain loops in 128 bits.
#pragma once

#include <optional>
#include <vector>

#include "harness.h"
#include "query/expression/calendar.h"
#include "query/expression/expression_kernels.h"
#include "query/expression/float_twins.h"
#include "query/expression/kernel_inputs.h"

namespace seriesdb::twins {
namespace {

__extension__ using WideInteger = __int128;
using Maybe = std::optional<std::int64_t>;

Maybe narrowed(WideInteger x) {
  if (x < INT64_MIN || x > INT64_MAX) return std::nullopt;
  return static_cast<std::int64_t>(x);
}

Maybe plainInteger(ExpressionOp op, Maybe x, Maybe y) {
  const bool picks =
      op == ExpressionOp::kGreatest || op == ExpressionOp::kLeast || op == ExpressionOp::kCoalesce;
  if (picks) {
    if (!x) return y;
    if (!y || op == ExpressionOp::kCoalesce) return x;
    return (op == ExpressionOp::kGreatest) == (*x > *y) ? x : y;
  }
  if (!x || !y) return std::nullopt;
  switch (op) {
    case ExpressionOp::kAdd:
      return narrowed(WideInteger{*x} + *y);
    case ExpressionOp::kSubtract:
      return narrowed(WideInteger{*x} - *y);
    case ExpressionOp::kMultiply:
      return narrowed(WideInteger{*x} * *y);
    default:  // kModulo
      return *y == 0 ? std::nullopt : narrowed(WideInteger{*x} % *y);
  }
}

Maybe plainInteger(ExpressionOp op, Maybe x) {
  if (!x) return x;
  switch (op) {
    case ExpressionOp::kNegate:
      return narrowed(-WideInteger{*x});
    case ExpressionOp::kAbsolute:
      return narrowed(*x < 0 ? -WideInteger{*x} : WideInteger{*x});
    default:  // kSign
      return *x > 0 ? 1 : *x < 0 ? -1 : 0;
  }
}

// Rounds to `digits` digits before the point, half away from zero.
Maybe plainRound(Maybe x, std::int64_t digits) {
  if (!x || digits <= 0) return x;
  if (digits > 19) return 0;
  WideInteger unit = 1;
  for (std::int64_t i = 0; i < digits; ++i) unit *= 10;
  const WideInteger size = *x < 0 ? -WideInteger{*x} : WideInteger{*x};
  const WideInteger units = size / unit + (2 * (size % unit) >= unit ? 1 : 0);
  return narrowed(*x < 0 ? -units * unit : units * unit);
}

Maybe plainBucket(Maybe x, std::int64_t width, std::int64_t origin) {
  if (!x) return x;
  const WideInteger distance = WideInteger{*x} - origin;
  const WideInteger rest = (distance % width + width) % width;
  return narrowed(*x - rest);
}

Maybe plainMonths(Maybe x, const Months& months) {
  const auto stretch = x ? stretchOf(months, *x) : std::nullopt;
  return stretch ? stretchStart(months, *stretch) : std::nullopt;
}

struct Integers {
  test::Placed<std::int64_t> values;
  test::Placed<std::uint8_t> nulls;

  Integers(std::size_t size, std::size_t offset, test::Random& random)
      : values(size, offset, [&] { return test::anyWhole(random); }),
        nulls(size, random() % 64,
              [&] { return static_cast<std::uint8_t>(random() % 4 == 0 ? 1 : 0); }) {}

  IntegerLanes lanes() { return {values.data(), nulls.data()}; }
  Maybe operator[](std::size_t i) const { return nulls[i] != 0 ? Maybe() : Maybe(values[i]); }
};

// Like Pairs of expression/float_twins.h.
template <typename Kernel, typename Twin>
void compareLanes(const char* what, int code, const Integers& a, const Integers& b, Kernel kernel,
                  Twin twin) {
  const std::size_t size = a.values.size();
  for (int place = 0; place < 3; ++place) {
    Integers x = a;
    Integers y = b;
    Integers z = b;
    Integers& out = place == 0 ? z : place == 1 ? x : y;
    kernel(size, x.lanes(), y.lanes(), out.lanes());
    for (std::size_t i = 0; i < size; ++i) {
      const bool isByte = out.nulls[i] <= 1;
      if (!isByte || out[i] != twin(a[i], b[i])) noteDifference(what, code, i, size);
    }
  }
}

TEST(KERNEL_NAME ": operations on two integers equal a plain loop") {
  if (!(KERNEL_RUNS)) return;
  test::Random random(test::seed() + 20);
  test::forEachPlace([&](std::size_t size, std::size_t offset) {
    const Integers a(size, offset, random);
    const Integers b(size, random() % 8, random);
    for (const ExpressionOp op :
         {ExpressionOp::kAdd, ExpressionOp::kSubtract, ExpressionOp::kMultiply,
          ExpressionOp::kModulo, ExpressionOp::kGreatest, ExpressionOp::kLeast,
          ExpressionOp::kCoalesce}) {
      compareLanes(
          "pair", static_cast<int>(op), a, b,
          [op](auto n, auto x, auto y, auto out) { runIntegerPair(op, n, x, y, out); },
          [op](Maybe x, Maybe y) { return plainInteger(op, x, y); });
    }
    for (const ExpressionOp op :
         {ExpressionOp::kNegate, ExpressionOp::kAbsolute, ExpressionOp::kSign}) {
      compareLanes(
          "one", static_cast<int>(op), a, b,
          [op](auto n, auto x, auto, auto out) { runIntegerOne(op, n, x, out); },
          [op](Maybe x, Maybe) { return plainInteger(op, x); });
    }
  });
}

TEST(KERNEL_NAME ": integers are rounded half away from zero, like a plain loop") {
  if (!(KERNEL_RUNS)) return;
  test::Random random(test::seed() + 21);
  test::forEachPlace([&](std::size_t size, std::size_t offset) {
    const Integers a(size, offset, random);
    Integers digits(size, random() % 8, random);
    for (std::size_t i = 0; i < size; ++i) {
      if (random() % 3 != 0) {
        digits.values.data()[i] = static_cast<std::int64_t>(random() % 44) - 22;
      }
    }
    const auto count = static_cast<std::uint32_t>(1 + random() % 19);
    compareLanes(
        "digits", static_cast<int>(count), a, digits,
        [=](auto n, auto x, auto, auto out) { roundIntegers(n, x, count, out); },
        [=](Maybe x, Maybe) { return plainRound(x, count); });
    compareLanes(
        "digits of each", 0, a, digits,
        [](auto n, auto x, auto y, auto out) { roundIntegersTo(n, x, y, out); },
        [](Maybe x, Maybe y) {
          // Below -19 nothing is left to round; INT64_MIN has no counterpart.
          if (y && *y < -19) return x ? Maybe(0) : x;
          return y ? plainRound(x, -*y) : y;
        });
  });
}

TEST(KERNEL_NAME ": floats are rounded to the digits of each lane, like a plain loop") {
  if (!(KERNEL_RUNS)) return;
  test::Random random(test::seed() + 22);
  std::vector<double> powers;
  for (std::size_t i = 0; i < kRoundingPowers; ++i) {
    powers.push_back(std::pow(10.0, static_cast<double>(i)));
  }
  test::forEachPlace([&](std::size_t size, std::size_t offset) {
    test::Placed<double> a(size, offset, [&] { return test::anyFloat(random); });
    Integers digits(size, random() % 8, random);
    for (std::size_t i = 0; i < size; ++i) {
      if (random() % 3 != 0) {
        digits.values.data()[i] = static_cast<std::int64_t>(random() % 640) - 320;
      }
    }
    test::Placed<double> out(size, random() % 8);
    roundFloatsTo(size, a.data(), digits.lanes(), powers.data(), out.data());
    for (std::size_t i = 0; i < size; ++i) {
      const Maybe count = digits[i];
      double expected = kNoNumber;
      if (count && !std::isnan(a[i])) {
        const bool isPast = *count > 308 || *count < -308;
        expected = isPast ? (*count > 0 ? a[i] : 0)
                          : plainRound(a[i], powers[static_cast<std::size_t>(std::abs(*count))],
                                       *count < 0);
      }
      if (!test::sameNumber(out[i], expected)) noteDifference("digits of each", 0, i, size);
    }
  });
}

TEST(KERNEL_NAME ": starts of buckets and months equal a plain loop") {
  if (!(KERNEL_RUNS)) return;
  test::Random random(test::seed() + 23);
  test::forEachPlace([&](std::size_t size, std::size_t offset) {
    Integers a(size, offset, random);
    // Neighbours share a bucket, as consecutive times do.
    for (std::size_t i = 1; i < size; ++i) {
      if (random() % 3 == 0) continue;
      a.values.data()[i] = narrowed(WideInteger{a.values[i - 1]} + random() % 500).value_or(7);
    }
    const std::int64_t width = std::max<std::int64_t>(1, test::anyWhole(random) & INT64_MAX);
    const std::int64_t origin = test::anyWhole(random);
    compareLanes(
        "buckets", 0, a, a,
        [=](auto n, auto x, auto, auto out) { bucketStarts(n, x, width, origin, out); },
        [=](Maybe x, Maybe) { return plainBucket(x, width, origin); });
    const std::int64_t units[] = {1, 1000, 1'000'000, 1'000'000'000};
    const Months months{1 + static_cast<std::int64_t>(random() % 30), units[random() % 4]};
    compareLanes(
        "months", static_cast<int>(months.count), a, a,
        [=](auto n, auto x, auto, auto out) {
          monthStarts(n, x, months.count, months.unitsPerSecond, out);
        },
        [=](Maybe x, Maybe) { return plainMonths(x, months); });
  });
}

TEST(KERNEL_NAME ": comparisons of integers, also with floats, equal a plain loop") {
  if (!(KERNEL_RUNS)) return;
  test::Random random(test::seed() + 24);
  test::forEachPlace([&](std::size_t size, std::size_t offset) {
    Integers a(size, offset, random);
    Integers b(size, random() % 8, random);
    test::Placed<double> floats(size, random() % 8, [&] { return test::anyFloat(random); });
    for (std::size_t i = 0; i < size; ++i) {
      if (random() % 4 == 0) b.values.data()[i] = a.values[i];
      if (random() % 4 == 0) floats.data()[i] = static_cast<double>(a.values[i]);
    }
    for (int code = 0; code < 6; ++code) {
      const auto how = static_cast<ExpressionComparison>(code);
      test::Placed<std::uint8_t> ofIntegers(size, offset);
      test::Placed<std::uint8_t> ofBoth(size, random() % 64);
      compareIntegers(how, size, a.lanes(), b.lanes(), ofIntegers.data());
      compareMixed(how, size, a.lanes(), floats.data(), ofBoth.data());
      for (std::size_t i = 0; i < size; ++i) {
        const bool isUnknown = !a[i] || !b[i];
        const bool holds = plainHolds(how, a.values[i], b.values[i]);
        if (ofIntegers[i] != plainTruth(isUnknown, holds)) {
          noteDifference("comparison of integers", code, i, size);
        }
        // long double holds both types without rounding.
        static_assert(std::numeric_limits<long double>::digits >= 63);
        const bool isNull = !a[i] || std::isnan(floats[i]);
        const auto integer = static_cast<long double>(a.values[i]);
        const auto number = static_cast<long double>(floats[i]);
        if (ofBoth[i] != plainTruth(isNull, plainHolds(how, integer, number))) {
          noteDifference("comparison with floats", code, i, size);
        }
      }
    }
  });
}

}  // namespace
}  // namespace seriesdb::twins
