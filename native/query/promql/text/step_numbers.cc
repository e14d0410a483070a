#include "query/promql/text/step_numbers.h"

#include <charconv>
#include <cmath>

namespace seriesdb {

char* writeStepValue(char* to, double value) {
  if (std::isnan(value)) return writeText(to, "NaN");
  if (std::isinf(value)) return writeText(to, value > 0 ? "+Inf" : "-Inf");
  constexpr double kSmall = 1e-6;
  constexpr double kLarge = 1e21;
  const double size = std::fabs(value);
  if (size == 0 || (size >= kSmall && size < kLarge)) return writeValue(to, value);
  return std::to_chars(to, to + kNumberSizeMax, value, std::chars_format::scientific).ptr;
}

char* writeStepTime(char* to, std::int64_t ms) {
  constexpr std::int64_t kPerSecond = 1000;
  if (ms < 0) {
    *to++ = '-';
    ms = -ms;
  }
  to = writeInteger(to, ms / kPerSecond);
  return writeMilliseconds(to, ms % kPerSecond);
}

}  // namespace seriesdb
