// Numbers as JSON text, in the shortest form that reads back as the very same double.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace seriesdb {

// Bytes that writing one number needs room for; what lies behind its end may be anything then.
inline constexpr std::size_t kNumberSizeMax = 40;

// Both write at `to` and return the end. 24.2, 1e21, -0; NaN and infinities are null.
char* writeInteger(char* to, std::int64_t value);
char* writeValue(char* to, double value);
// All eight, with zeros in front. REQUIRES: value < 100,000,000.
void writeEightDigits(char* to, std::uint32_t value);

void appendInteger(std::string& out, std::int64_t value);
void appendValue(std::string& out, double value);

}  // namespace seriesdb
