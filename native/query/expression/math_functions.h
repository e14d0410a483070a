// Functions whose last digit depends on the C library. Both query engines use this code, the
// interpreter through the addon, so both return the same rows.
#pragma once

#include <cstddef>
#include <cstdint>

namespace seriesdb {

// The names and their order match `math` in src/storage/native/names.ts; binding/names.h exports
// them.
enum class MathFunction : std::uint8_t { kExp, kLn, kLog10, kLog2, kPower };
inline constexpr std::uint32_t kMathFunctions = 5;

// `y` is the exponent of kPower; the other functions ignore it. NaN if an argument is NaN, even for
// NaN to the power of 0. The result may be infinite.
double mathOf(MathFunction function, double x, double y);

// Applies the function to n pairs; NaN if a result is not finite. `out` may be `a` or `b`.
void runMath(MathFunction function, std::size_t n, const double* a, const double* b, double* out);

}  // namespace seriesdb
