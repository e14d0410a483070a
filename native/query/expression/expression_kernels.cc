#include "query/expression/expression_kernels.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "common/base/clones.h"
#include "common/types/wide.h"
#include "query/expression/calendar.h"

namespace seriesdb {
namespace {

using Op = ExpressionOp;

// Returns NaN if x is not finite. Keeps the sign of zero.
inline double finite(double x) { return x - (x - x); }

template <typename A, typename Out, typename F>
inline __attribute__((always_inline)) void map(std::size_t n, const A* a, Out* out, F f) {
  for (std::size_t i = 0; i < n; ++i) out[i] = f(a[i]);
}

template <typename A, typename Out, typename F>
inline __attribute__((always_inline)) void map2(std::size_t n, const A* a, const A* b, Out* out,
                                                F f) {
  for (std::size_t i = 0; i < n; ++i) out[i] = f(a[i], b[i]);
}

// f(a, result) returns true if the result is null.
template <typename F>
inline __attribute__((always_inline)) void mapIntegers(std::size_t n, IntegerLanes a,
                                                       IntegerLanes out, F f) {
  for (std::size_t i = 0; i < n; ++i) {
    std::int64_t result = 0;
    const bool isNull = f(a.values[i], result);
    out.nulls[i] = static_cast<std::uint8_t>(a.nulls[i] | static_cast<std::uint8_t>(isNull));
    out.values[i] = result;
  }
}

template <typename F>
inline __attribute__((always_inline)) void mapIntegers2(std::size_t n, IntegerLanes a,
                                                        IntegerLanes b, IntegerLanes out, F f) {
  for (std::size_t i = 0; i < n; ++i) {
    std::int64_t result = 0;
    const auto isNull = static_cast<std::uint8_t>(f(a.values[i], b.values[i], result));
    out.nulls[i] = static_cast<std::uint8_t>(a.nulls[i] | b.nulls[i] | isNull);
    out.values[i] = result;
  }
}

// takesB(a, b) chooses between two values. If one is null, the other is taken.
template <typename F>
void pickIntegers(std::size_t n, IntegerLanes a, IntegerLanes b, IntegerLanes out, F takesB) {
  for (std::size_t i = 0; i < n; ++i) {
    const bool isB = a.nulls[i] != 0 || (b.nulls[i] == 0 && takesB(a.values[i], b.values[i]));
    out.values[i] = isB ? b.values[i] : a.values[i];
    out.nulls[i] = isB ? b.nulls[i] : a.nulls[i];
  }
}

// Calls visit(holds); holds(a, b) is the comparison.
template <typename Visit>
inline __attribute__((always_inline)) void withComparison(ExpressionComparison how, Visit visit) {
  switch (how) {
    case ExpressionComparison::kEqual:
      return visit([](auto a, auto b) { return a == b; });
    case ExpressionComparison::kNotEqual:
      return visit([](auto a, auto b) { return a != b; });
    case ExpressionComparison::kLess:
      return visit([](auto a, auto b) { return a < b; });
    case ExpressionComparison::kLessEqual:
      return visit([](auto a, auto b) { return a <= b; });
    case ExpressionComparison::kGreater:
      return visit([](auto a, auto b) { return a > b; });
    case ExpressionComparison::kGreaterEqual:
      return visit([](auto a, auto b) { return a >= b; });
  }
}

inline std::uint8_t truth(bool isNull, bool holds) {
  return isNull ? kUnknown : static_cast<std::uint8_t>(holds ? kTrue : kFalse);
}

inline __attribute__((always_inline)) double roundFloat(double x, double factor, bool divides) {
  const double scaled = divides ? std::fabs(x) / factor : std::fabs(x) * factor;
  const double whole = std::trunc(scaled);
  const double rounded = scaled - whole >= 0.5 ? whole + 1 : whole;
  const double size = finite(divides ? rounded * factor : rounded / factor);
  // If scaling overflows a double, x has no digits left to round.
  return std::isinf(scaled) ? x : std::copysign(size, x);
}

// Rounds to a multiple of `unit`, half away from zero. True if the result overflows int64.
inline bool roundInteger(std::int64_t x, Wide unit, std::int64_t& r) {
  const Wide size = x < 0 ? -Wide{x} : Wide{x};
  const Wide rounded = (size + unit / 2) / unit * unit;
  const Wide result = x < 0 ? -rounded : rounded;
  const bool isPast = result < INT64_MIN || result > INT64_MAX;
  r = isPast ? 0 : static_cast<std::int64_t>(result);
  return isPast;
}

Wide powerOfTen(std::uint64_t digits) {
  Wide power = 1;
  for (std::uint64_t i = 0; i < digits; ++i) power *= 10;
  return power;
}

// The order of a and b, below, at or above 0. REQUIRES: b is a number.
int orderOf(std::int64_t a, double b) {
  constexpr double kLimit = 9223372036854775808.0;
  if (b >= kLimit) return -1;
  if (b < -kLimit) return 1;
  const double whole = std::trunc(b);
  const auto integer = static_cast<std::int64_t>(whole);
  if (a != integer) return a < integer ? -1 : 1;
  return b > whole ? -1 : b < whole ? 1 : 0;
}

}  // namespace

SERIESDB_CLONES void runFloatPair(Op op, std::size_t n, const double* a, const double* b,
                                  double* out) {
  switch (op) {
    case Op::kAdd:
      return map2(n, a, b, out, [](double x, double y) { return finite(x + y); });
    case Op::kSubtract:
      return map2(n, a, b, out, [](double x, double y) { return finite(x - y); });
    case Op::kMultiply:
      return map2(n, a, b, out, [](double x, double y) { return finite(x * y); });
    case Op::kDivide:
      return map2(n, a, b, out, [](double x, double y) { return finite(x / y); });
    case Op::kModulo:
      return map2(n, a, b, out, [](double x, double y) { return finite(std::fmod(x, y)); });
    case Op::kGreatest:
      return map2(n, a, b, out, [](double x, double y) { return ((y > x) | (x != x)) ? y : x; });
    case Op::kLeast:
      return map2(n, a, b, out, [](double x, double y) { return ((y < x) | (x != x)) ? y : x; });
    default:  // kCoalesce
      return map2(n, a, b, out, [](double x, double y) { return x != x ? y : x; });
  }
}

SERIESDB_CLONES void runFloatOne(Op op, std::size_t n, const double* a, double* out) {
  switch (op) {
    case Op::kNegate:
      return map(n, a, out, [](double x) { return -x; });
    case Op::kAbsolute:
      return map(n, a, out, [](double x) { return std::fabs(x); });
    case Op::kSign:
      return map(n, a, out, [](double x) { return x > 0 ? 1.0 : x < 0 ? -1.0 : x; });
    case Op::kCeil:
      return map(n, a, out, [](double x) { return std::ceil(x); });
    case Op::kFloor:
      return map(n, a, out, [](double x) { return std::floor(x); });
    case Op::kTruncate:
      return map(n, a, out, [](double x) { return std::trunc(x); });
    default:  // kRoot
      return map(n, a, out, [](double x) { return std::sqrt(x); });
  }
}

SERIESDB_CLONES void roundFloats(std::size_t n, const double* a, double factor, bool divides,
                                 double* out) {
  map(n, a, out, [factor, divides](double x) { return roundFloat(x, factor, divides); });
}

void roundFloatsTo(std::size_t n, const double* a, IntegerLanes digits, const double* powers,
                   double* out) {
  constexpr std::int64_t kMost = kRoundingPowers - 1;
  for (std::size_t i = 0; i < n; ++i) {
    const double x = a[i];
    const std::int64_t count = digits.values[i];
    if (digits.nulls[i] != 0 || std::isnan(x)) {
      out[i] = std::numeric_limits<double>::quiet_NaN();
    } else if (count > kMost || count < -kMost) {
      out[i] = count > 0 ? x : 0;
    } else {
      out[i] = roundFloat(x, powers[count < 0 ? -count : count], count < 0);
    }
  }
}

void runIntegerPair(Op op, std::size_t n, IntegerLanes a, IntegerLanes b, IntegerLanes out) {
  using Int = std::int64_t;
  switch (op) {
    case Op::kAdd:
      return mapIntegers2(n, a, b, out,
                          [](Int x, Int y, Int& r) { return __builtin_add_overflow(x, y, &r); });
    case Op::kSubtract:
      return mapIntegers2(n, a, b, out,
                          [](Int x, Int y, Int& r) { return __builtin_sub_overflow(x, y, &r); });
    case Op::kMultiply:
      return mapIntegers2(n, a, b, out,
                          [](Int x, Int y, Int& r) { return __builtin_mul_overflow(x, y, &r); });
    case Op::kModulo:
      return mapIntegers2(n, a, b, out, [](Int x, Int y, Int& r) {
        r = y == 0 || y == -1 ? 0 : x % y;
        return y == 0;
      });
    case Op::kGreatest:
      return pickIntegers(n, a, b, out, [](Int x, Int y) { return y > x; });
    case Op::kLeast:
      return pickIntegers(n, a, b, out, [](Int x, Int y) { return y < x; });
    default:  // kCoalesce
      return pickIntegers(n, a, b, out, [](Int, Int) { return false; });
  }
}

void runIntegerOne(Op op, std::size_t n, IntegerLanes a, IntegerLanes out) {
  using Int = std::int64_t;
  const auto negate = [](Int x, Int& r) { return __builtin_sub_overflow(Int{0}, x, &r); };
  switch (op) {
    case Op::kNegate:
      return mapIntegers(n, a, out, negate);
    case Op::kAbsolute:
      return mapIntegers(n, a, out, [negate](Int x, Int& r) {
        r = x;
        return x < 0 && negate(x, r);
      });
    default:  // kSign
      return mapIntegers(n, a, out, [](Int x, Int& r) {
        r = (x > 0) - (x < 0);
        return false;
      });
  }
}

void roundIntegers(std::size_t n, IntegerLanes a, std::uint32_t digits, IntegerLanes out) {
  mapIntegers(n, a, out, [unit = powerOfTen(digits)](std::int64_t x, std::int64_t& r) {
    return roundInteger(x, unit, r);
  });
}

void roundIntegersTo(std::size_t n, IntegerLanes a, IntegerLanes digits, IntegerLanes out) {
  constexpr std::int64_t kMost = 19;
  mapIntegers2(n, a, digits, out, [](std::int64_t x, std::int64_t count, std::int64_t& r) {
    r = count < -kMost ? 0 : x;
    if (count >= 0 || count < -kMost) return false;
    return roundInteger(x, powerOfTen(static_cast<std::uint64_t>(-count)), r);
  });
}

void bucketStarts(std::size_t n, IntegerLanes a, std::int64_t width, std::int64_t origin,
                  IntegerLanes out) {
  // Neighbours mostly share a bucket, so the last one, [low, low + size), is kept.
  std::int64_t low = 0;
  std::uint64_t size = 0;
  mapIntegers(n, a, out, [&](std::int64_t x, std::int64_t& r) {
    if (x >= low && static_cast<std::uint64_t>(x) - static_cast<std::uint64_t>(low) < size) {
      r = low;
      return false;
    }
    std::int64_t distance;
    std::int64_t rest;
    if (__builtin_sub_overflow(x, origin, &distance)) {
      rest = static_cast<std::int64_t>((Wide{x} - origin) % width);
    } else {
      rest = distance % width;
    }
    if (rest < 0) rest += width;
    if (__builtin_sub_overflow(x, rest, &r)) return true;
    low = r;
    size = static_cast<std::uint64_t>(width);
    return false;
  });
}

SERIESDB_CLONES void compareFloats(ExpressionComparison how, std::size_t n, const double* a,
                                   const double* b, std::uint8_t* out) {
  withComparison(
      how, [=](auto holds) __attribute__((always_inline)) {
        map2(n, a, b, out,
             [holds](double x, double y) { return truth((x != x) | (y != y), holds(x, y)); });
      });
}

SERIESDB_CLONES void compareIntegers(ExpressionComparison how, std::size_t n, IntegerLanes a,
                                     IntegerLanes b, std::uint8_t* out) {
  withComparison(
      how, [=](auto holds) __attribute__((always_inline)) {
        for (std::size_t i = 0; i < n; ++i) {
          out[i] = truth((a.nulls[i] | b.nulls[i]) != 0, holds(a.values[i], b.values[i]));
        }
      });
}

void compareBooleans(ExpressionComparison how, std::size_t n, const std::uint8_t* a,
                     const std::uint8_t* b, std::uint8_t* out) {
  withComparison(how, [=](auto holds) {
    map2(n, a, b, out, [holds](std::uint8_t x, std::uint8_t y) {
      return truth(x == kUnknown || y == kUnknown, holds(x, y));
    });
  });
}

void compareMixed(ExpressionComparison how, std::size_t n, IntegerLanes a, const double* b,
                  std::uint8_t* out) {
  withComparison(how, [=](auto holds) {
    for (std::size_t i = 0; i < n; ++i) {
      const bool isNull = a.nulls[i] != 0 || b[i] != b[i];
      out[i] = truth(isNull, !isNull && holds(orderOf(a.values[i], b[i]), 0));
    }
  });
}

SERIESDB_CLONES void runBooleanPair(Op op, std::size_t n, const std::uint8_t* a,
                                    const std::uint8_t* b, std::uint8_t* out) {
  using Byte = std::uint8_t;
  switch (op) {
    case Op::kAnd:
      return map2(n, a, b, out, [](Byte x, Byte y) { return std::min(x, y); });
    case Op::kOr:
      return map2(n, a, b, out, [](Byte x, Byte y) { return std::max(x, y); });
    case Op::kGreatest:
      return map2(n, a, b, out, [](Byte x, Byte y) {
        return x == kUnknown ? y : y == kUnknown ? x : std::max(x, y);
      });
    case Op::kLeast:
      return map2(n, a, b, out, [](Byte x, Byte y) {
        return x == kUnknown ? y : y == kUnknown ? x : std::min(x, y);
      });
    default:  // kCoalesce
      return map2(n, a, b, out, [](Byte x, Byte y) { return x == kUnknown ? y : x; });
  }
}

void monthStarts(std::size_t n, IntegerLanes a, std::int64_t months, std::int64_t unitsPerSecond,
                 IntegerLanes out) {
  const Months width{months, unitsPerSecond};
  const Timestamp last = calendarRange(unitsPerSecond).end;
  // Neighbours mostly share a stretch, so the last one, [low, high], is kept.
  std::int64_t low = 1;
  std::int64_t high = 0;
  mapIntegers(n, a, out, [&](std::int64_t x, std::int64_t& r) {
    if (low <= x && x <= high) {
      r = low;
      return false;
    }
    const auto stretch = stretchOf(width, x);
    const auto start = stretch ? stretchStart(width, *stretch) : std::nullopt;
    if (!start) return true;
    const auto next = stretchStart(width, *stretch + 1);
    r = low = *start;
    high = next ? std::min(*next - 1, last) : last;
    return false;
  });
}

}  // namespace seriesdb
