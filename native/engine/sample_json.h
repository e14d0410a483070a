// Samples as JSON text, in the shortest form that reads back as the very same double.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "model/sample.h"

namespace seriesdb {

// Bytes that one `{"ts":…,"value":…},` can take at most.
inline constexpr std::size_t kSampleJsonSizeMax = 80;

// Bytes that one number takes at most.
inline constexpr std::size_t kNumberSizeMax = 32;

// Both write at `to` and return the end. 24.2, 1e21, -0; NaN and infinities are null.
char* writeInteger(char* to, std::int64_t value);
char* writeValue(char* to, double value);

void appendInteger(std::string& out, std::int64_t value);
void appendValue(std::string& out, double value);

// Appends `{"ts":…,"value":…}` for each sample, with a comma before each but the first of the
// array.
void appendSamplesJson(std::string& out, std::span<const Timestamp> ts,
                       std::span<const double> values, bool isFirst);

}  // namespace seriesdb
