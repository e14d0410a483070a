// The functions whose last digit is the C library's. Both query engines take them from here, the
// interpreter by way of the addon, so that they give the same rows.
#pragma once

#include <cstddef>
#include <cstdint>

namespace seriesdb {

// The names and their order are those of `math` in src/storage/native/names.ts, as binding/names.h
// has them.
enum class MathFunction : std::uint8_t { kExp, kLn, kLog10, kLog2, kPower };
inline constexpr std::uint32_t kMathFunctions = 5;

// `y` is the exponent of kPower and otherwise not looked at. NaN where an argument is NaN, also for
// NaN to the power of 0; may be infinite.
double mathOf(MathFunction function, double x, double y);

// Of n pairs, NaN where the result is not finite. `out` may be `a` or `b`.
void runMath(MathFunction function, std::size_t n, const double* a, const double* b, double* out);

}  // namespace seriesdb
