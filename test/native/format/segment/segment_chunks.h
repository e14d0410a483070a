// The chunks in a segment's directory.
#pragma once

#include <limits>
#include <vector>

#include "common/base/check.h"
#include "format/segment/segment.h"

namespace seriesdb::test {

inline std::vector<ChunkEntry> chunksOf(const Segment& segment, SeriesRef series) {
  std::vector<ChunkEntry> chunks;
  const TimeRange always{std::numeric_limits<Timestamp>::min(),
                         std::numeric_limits<Timestamp>::max()};
  segment.find(series, always, chunks);
  return chunks;
}

inline std::vector<ChunkEntry> allChunks(const Segment& segment) {
  std::vector<ChunkEntry> all;
  std::vector<ChunkEntry> page;
  for (std::size_t i = 0; i < segment.pageCount(); ++i) {
    CHECK(segment.readPage(i, page).ok());
    all.insert(all.end(), page.begin(), page.end());
  }
  return all;
}

}  // namespace seriesdb::test
