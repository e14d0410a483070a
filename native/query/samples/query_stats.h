// What a query read: the `stats` of an answer.
#pragma once

#include <algorithm>
#include <cstdint>

namespace seriesdb {

struct QueryStats {
  std::uint64_t seriesSelected = 0;
  // Of the lone series that was selected, else 0.
  std::uint64_t labelCount = 0;
  std::uint64_t selectNanos = 0;    // What the selection took, on whatever thread.
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
  // Adds what was read of the same series, all of whose chunks are counted, in other times.
  void addReads(const QueryStats& other) {
    rowsScanned += other.rowsScanned;
    chunksScanned += other.chunksScanned;
    chunksSkipped -= std::min(chunksSkipped, other.chunksScanned);
    bytesRead += other.bytesRead;
  }
  // Adds what another look at the same series took.
  void addLook(const QueryStats& other) {
    const std::uint64_t chunks = other.chunksScanned + other.chunksSkipped;
    const std::uint64_t series = seriesScanned;
    add(other);
    seriesScanned = std::max(series, other.seriesScanned);
    chunksSkipped = chunks > chunksScanned ? chunks - chunksScanned : 0;
  }
};

}  // namespace seriesdb
