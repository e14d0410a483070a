// What a query read: the `stats` of an answer.
#pragma once

#include <cstdint>

namespace seriesdb {

struct QueryStats {
  std::uint64_t seriesSelected = 0;
  // Of the lone series that was selected, else 0.
  std::uint64_t labelCount = 0;
  std::uint64_t seriesScanned = 0;  // Series of which anything was looked at.
  std::uint64_t rowsScanned = 0;    // Samples decoded, in range.
  std::uint64_t chunksScanned = 0;  // Chunks decoded.
  std::uint64_t chunksSkipped = 0;  // Other chunks of those series.
  std::uint64_t bytesRead = 0;      // Of decoded chunks, compressed.

  void add(const QueryStats& other) {
    seriesScanned += other.seriesScanned;
    rowsScanned += other.rowsScanned;
    chunksScanned += other.chunksScanned;
    chunksSkipped += other.chunksSkipped;
    bytesRead += other.bytesRead;
  }
};

}  // namespace seriesdb
