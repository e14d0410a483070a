// Reads one series over all its sources in time order.
//
// The sources are captured at the first read. Chunks are decoded one at a time, when the merge
// reaches them; where only one source has samples, they are copied in bulk. Not thread-safe.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "base/status.h"
#include "engine/part_merge.h"
#include "engine/series_sources.h"
#include "engine/view.h"

namespace seriesdb {

class MergeCursor {
 public:
  // Holds on to `view`.
  MergeCursor(PinnedView view, SeriesRef ref, TimeRange range);

  // Appends at least one sample and about `countMax`, ascending; appends nothing at the end.
  Status next(std::size_t countMax, std::vector<Timestamp>& ts, std::vector<double>& values);

  // As those of PartMerge.
  Result<std::size_t> nextPiece(std::size_t countMax, std::vector<Timestamp>& ts,
                                std::vector<double>& values) {
    return opened().merge.nextPiece(countMax, ts, values);
  }
  std::optional<ChunkSummary> takeWholeChunk() { return opened().merge.takeWholeChunk(); }

  // Upper bound of the samples that are left to decode, for choosing a thread.
  std::uint64_t estimatedSamples() const { return estimatedSamples_; }

 private:
  // Stays where it is when the cursor moves.
  struct Opened {
    SeriesChunks chunks;
    SeriesSources sources;
    PartMerge merge;
  };
  Opened& opened();

  PinnedView view_;
  TimeRange range_;
  std::unique_ptr<Opened> opened_;
  bool isCaptured_ = false;
  std::uint64_t estimatedSamples_ = 0;
};

}  // namespace seriesdb
