// Numbers as JSON text, in the shortest form that reads back as exactly the same double.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace seriesdb {

// Room that writing one number needs, in bytes; bytes behind the number's end become undefined.
inline constexpr std::size_t kNumberSizeMax = 40;

// Both write at `to` and return the end. 24.2, 1e21, -0; NaN and infinities become null.
char* writeInteger(char* to, std::int64_t value);
char* writeValue(char* to, double value);
// Writes eight digits, with leading zeros. REQUIRES: value < 100,000,000.
void writeEightDigits(char* to, std::uint32_t value);

void appendInteger(std::string& out, std::int64_t value);
void appendValue(std::string& out, double value);

}  // namespace seriesdb
