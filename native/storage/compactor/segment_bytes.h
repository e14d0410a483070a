// The size of segments on disk, in bytes.
#pragma once

#include <cstdint>
#include <numeric>
#include <vector>

#include "format/segment/segment.h"

namespace seriesdb {

inline std::uint64_t bytesOf(const std::vector<SegmentFacts>& all) {
  return std::accumulate(all.begin(), all.end(), std::uint64_t{0},
                         [](std::uint64_t sum, const auto& one) { return sum + one.fileSize; });
}

}  // namespace seriesdb
