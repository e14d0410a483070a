// Samples as JSON text.
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "common/types/sample.h"

namespace seriesdb {

// The most bytes of one `{"ts":…,"value":…},`.
inline constexpr std::size_t kSampleJsonSizeMax = 80;

// Appends `{"ts":…,"value":…}` for each sample, with a comma in front; `isFirst` drops the first
// comma.
void appendSamplesJson(std::string& out, std::span<const Timestamp> ts,
                       std::span<const double> values, bool isFirst);

}  // namespace seriesdb
