// The inner loops of expressions: one step over a block of lanes. What an operation means for
// nulls, overflow and the like is the interpreter's, src/query/seriesql/plan/evaluate.ts and
// src/query/seriesql/functions/.
//
// A float that is null is NaN; no other is NaN or infinite. An integer has a byte beside it that is
// 1 for null. Operands may be the same memory as the result.
#pragma once

#include <cstddef>
#include <cstdint>

#include "query/expression/expression.h"

namespace seriesdb {

struct IntegerLanes {
  std::int64_t* values;
  std::uint8_t* nulls;
};

// REQUIRES (all): an op that takes these operands, checked by Expression::make.
void runFloatPair(ExpressionOp op, std::size_t n, const double* a, const double* b, double* out);
void runFloatOne(ExpressionOp op, std::size_t n, const double* a, double* out);
// Half away from zero, with so many digits after the point (or before, when it divides) as `factor`
// is a power of ten.
void roundFloats(std::size_t n, const double* a, double factor, bool divides, double* out);
void runIntegerPair(ExpressionOp op, std::size_t n, IntegerLanes a, IntegerLanes b,
                    IntegerLanes out);
void runIntegerOne(ExpressionOp op, std::size_t n, IntegerLanes a, IntegerLanes out);
void roundIntegers(std::size_t n, IntegerLanes a, std::uint32_t digits, IntegerLanes out);
// The same with digits of each lane's own, before the point where they are negative. `powers` are
// those of ten, kRoundingPowers from 10^0 on; past them nothing is left to round, or nothing at
// all.
inline constexpr std::size_t kRoundingPowers = 309;
void roundFloatsTo(std::size_t n, const double* a, IntegerLanes digits, const double* powers,
                   double* out);
void roundIntegersTo(std::size_t n, IntegerLanes a, IntegerLanes digits, IntegerLanes out);
// Starts of buckets; null where int64 cannot hold one. REQUIRES: width above 0.
void bucketStarts(std::size_t n, IntegerLanes a, std::int64_t width, std::int64_t origin,
                  IntegerLanes out);
// Starts of stretches of so many months, counted from January 1970. REQUIRES: both above 0.
void monthStarts(std::size_t n, IntegerLanes a, std::int64_t months, std::int64_t unitsPerSecond,
                 IntegerLanes out);

void compareFloats(ExpressionComparison how, std::size_t n, const double* a, const double* b,
                   std::uint8_t* out);
void compareIntegers(ExpressionComparison how, std::size_t n, IntegerLanes a, IntegerLanes b,
                     std::uint8_t* out);
void compareBooleans(ExpressionComparison how, std::size_t n, const std::uint8_t* a,
                     const std::uint8_t* b, std::uint8_t* out);
// By their exact values.
void compareMixed(ExpressionComparison how, std::size_t n, IntegerLanes a, const double* b,
                  std::uint8_t* out);
void runBooleanPair(ExpressionOp op, std::size_t n, const std::uint8_t* a, const std::uint8_t* b,
                    std::uint8_t* out);

}  // namespace seriesdb
