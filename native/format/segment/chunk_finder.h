// Finds the chunks of consecutive series in a segment. Reads the chunks of the following series in
// the same page together with the current one, for a fraction of the time. Not thread-safe.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "format/segment/segment.h"

namespace seriesdb {

class ChunkFinder {
 public:
  // The result of Segment::find() for the first series, valid until the next call; the segment must
  // live until then. The caller is likely to ask for the other series next, in this order.
  // REQUIRES: !series.empty()
  std::span<const ChunkEntry> find(const Segment& segment, std::span<const SeriesRef> series,
                                   TimeRange range);
  // Prefetches the data that find() of this series in the same segment reads. REQUIRES: the segment
  // is still alive.
  void expect(SeriesRef series) const {
    if (segment_ != nullptr && next_ == known_.size()) segment_->prefetchEntries(series);
  }

 private:
  std::optional<std::span<const ChunkEntry>> findKnown(SeriesRef series);

  const Segment* segment_ = nullptr;
  TimeRange range_{0, -1};
  std::vector<ChunkEntry> found_;
  std::vector<SeriesRef> known_;  // Series whose chunks are all in `found_`, in order.
  std::size_t next_ = 0;          // Index of the first known series that was not requested yet.
  std::size_t at_ = 0;            // Where its chunks begin, or would begin.
};

}  // namespace seriesdb
