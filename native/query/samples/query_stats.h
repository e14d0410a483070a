// The reads of a query: the `stats` of an answer.
#pragma once

#include <algorithm>
#include <cstdint>

namespace seriesdb {

struct QueryStats {
  std::uint64_t seriesSelected = 0;
  // The count of labels if exactly one series was selected, else 0.
  std::uint64_t labelCount = 0;
  std::uint64_t selectNanos = 0;    // Duration of the selection, on any thread.
  std::uint64_t seriesScanned = 0;  // Series that were opened for reading.
  std::uint64_t rowsScanned = 0;    // Samples decoded, in range.
  std::uint64_t chunksScanned = 0;  // Chunks decoded.
  std::uint64_t chunksSkipped = 0;  // Other chunks of the scanned series.
  std::uint64_t bytesRead = 0;      // Compressed bytes of decoded chunks.

  void add(const QueryStats& other) {
    seriesScanned += other.seriesScanned;
    rowsScanned += other.rowsScanned;
    chunksScanned += other.chunksScanned;
    chunksSkipped += other.chunksSkipped;
    bytesRead += other.bytesRead;
  }
  // Adds the reads of the same series at other times. Their chunks are all counted already.
  void addReads(const QueryStats& other) {
    rowsScanned += other.rowsScanned;
    chunksScanned += other.chunksScanned;
    chunksSkipped -= std::min(chunksSkipped, other.chunksScanned);
    bytesRead += other.bytesRead;
  }
  // Adds another pass over the same series.
  void addLook(const QueryStats& other) {
    const std::uint64_t chunks = other.chunksScanned + other.chunksSkipped;
    const std::uint64_t series = seriesScanned;
    add(other);
    seriesScanned = std::max(series, other.seriesScanned);
    chunksSkipped = chunks > chunksScanned ? chunks - chunksScanned : 0;
  }
};

}  // namespace seriesdb
