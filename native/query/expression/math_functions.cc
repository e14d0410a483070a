#include "query/expression/math_functions.h"

#include <cmath>
#include <limits>

namespace seriesdb {

double mathOf(MathFunction function, double x, double y) {
  switch (function) {
    case MathFunction::kExp:
      return std::exp(x);
    case MathFunction::kLn:
      return std::log(x);
    case MathFunction::kLog10:
      return std::log10(x);
    case MathFunction::kLog2:
      return std::log2(x);
    case MathFunction::kPower:
      break;
  }
  // std::pow() returns 1 for NaN to the power of 0, and for 1 to the power of NaN.
  return std::isnan(x) || std::isnan(y) ? std::numeric_limits<double>::quiet_NaN() : std::pow(x, y);
}

void runMath(MathFunction function, std::size_t n, const double* a, const double* b, double* out) {
  for (std::size_t i = 0; i < n; ++i) {
    const double result = mathOf(function, a[i], b[i]);
    out[i] = std::isfinite(result) ? result : std::numeric_limits<double>::quiet_NaN();
  }
}

}  // namespace seriesdb
