// Values and times at steps as text, in the form of Prometheus' API.
#pragma once

#include <cstdint>
#include <cstring>
#include <string_view>

#include "common/base/numbers/json_number.h"
#include "query/print/near_integers.h"

namespace seriesdb {

// REQUIRES: enough room. Returns the end.
inline char* writeText(char* to, std::string_view text) {
  std::memcpy(to, text.data(), text.size());
  return to + text.size();
}

// The shortest digits that read back as the same value, as Go's strconv writes them. Below 1e-6 and
// from 1e21 on with an exponent; NaN, +Inf, -Inf. REQUIRES: room for kNumberSizeMax.
char* writeStepValue(char* to, double value);
// Milliseconds as seconds: 1435781451.781, without decimals for whole seconds.
char* writeStepTime(char* to, std::int64_t ms);
// The decimals of the seconds, if any: .781
inline char* writeMilliseconds(char* to, std::int64_t ms) {
  if (ms == 0) return to;
  writeFourDigits(to, static_cast<std::uint32_t>(ms));
  *to = '.';
  return to + 4;
}

}  // namespace seriesdb
