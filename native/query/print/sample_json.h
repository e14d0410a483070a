// Samples as JSON text.
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "common/types/sample.h"

namespace seriesdb {

// Bytes that one `{"ts":…,"value":…},` can take at most.
inline constexpr std::size_t kSampleJsonSizeMax = 80;

// Appends `{"ts":…,"value":…}` for each sample, with a comma before each but the first of the
// array.
void appendSamplesJson(std::string& out, std::span<const Timestamp> ts,
                       std::span<const double> values, bool isFirst);

}  // namespace seriesdb
