// The inner loops of expressions: one step over a block of lanes. Nulls, overflow and edge cases
// follow the interpreter, src/query/seriesql/plan/evaluate.ts and src/query/seriesql/functions/.
//
// A null float is NaN; all other floats are finite. An integer has a byte beside it; 1 means null.
// Operands may share memory with the result.
#pragma once

#include <cstddef>
#include <cstdint>

#include "query/expression/expression.h"

namespace seriesdb {

struct IntegerLanes {
  std::int64_t* values;
  std::uint8_t* nulls;
};

// All kernels REQUIRE an op that takes these operands, as Expression::make() checks.
void runFloatPair(ExpressionOp op, std::size_t n, const double* a, const double* b, double* out);
void runFloatOne(ExpressionOp op, std::size_t n, const double* a, double* out);
// Rounds half away from zero. `factor` is a power of ten, one zero per digit after the point, or
// before it if `divides`.
void roundFloats(std::size_t n, const double* a, double factor, bool divides, double* out);
void runIntegerPair(ExpressionOp op, std::size_t n, IntegerLanes a, IntegerLanes b,
                    IntegerLanes out);
void runIntegerOne(ExpressionOp op, std::size_t n, IntegerLanes a, IntegerLanes out);
void roundIntegers(std::size_t n, IntegerLanes a, std::uint32_t digits, IntegerLanes out);
// Both round each lane to its own digits; negative digits are before the point. `powers` are the
// kRoundingPowers powers of ten from 10^0 on. Beyond them a value stays as it is or becomes zero.
inline constexpr std::size_t kRoundingPowers = 309;
void roundFloatsTo(std::size_t n, const double* a, IntegerLanes digits, const double* powers,
                   double* out);
void roundIntegersTo(std::size_t n, IntegerLanes a, IntegerLanes digits, IntegerLanes out);
// The starts of buckets; null if int64 cannot hold a start. REQUIRES: width above 0.
void bucketStarts(std::size_t n, IntegerLanes a, std::int64_t width, std::int64_t origin,
                  IntegerLanes out);
// The starts of stretches of `months`, counted from January 1970. REQUIRES: both above 0.
void monthStarts(std::size_t n, IntegerLanes a, std::int64_t months, std::int64_t unitsPerSecond,
                 IntegerLanes out);

void compareFloats(ExpressionComparison how, std::size_t n, const double* a, const double* b,
                   std::uint8_t* out);
void compareIntegers(ExpressionComparison how, std::size_t n, IntegerLanes a, IntegerLanes b,
                     std::uint8_t* out);
void compareBooleans(ExpressionComparison how, std::size_t n, const std::uint8_t* a,
                     const std::uint8_t* b, std::uint8_t* out);
// Compares exact values, without rounding the integer.
void compareMixed(ExpressionComparison how, std::size_t n, IntegerLanes a, const double* b,
                  std::uint8_t* out);
void runBooleanPair(ExpressionOp op, std::size_t n, const std::uint8_t* a, const std::uint8_t* b,
                    std::uint8_t* out);

}  // namespace seriesdb
