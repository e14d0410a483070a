// Finds the chunks of one series after another in a segment. Those of the series that come next are
// read together with those of this one where they lie in the same page, which takes a fraction of
// the time that one after the other does. Not thread-safe.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "segment/segment.h"

namespace seriesdb {

class ChunkFinder {
 public:
  // What Segment::find() gives of the first series, valid until the next call, up to which the
  // segment must live. The others are likely to be asked for next, in this order. REQUIRES:
  // !series.empty()
  std::span<const ChunkEntry> find(const Segment& segment, std::span<const SeriesRef> series,
                                   TimeRange range);
  // Has what find() of this series in the same segment reads fetched into the cache, unless it is
  // there. REQUIRES: that segment lives.
  void expect(SeriesRef series) const {
    if (segment_ != nullptr && next_ == known_.size()) segment_->prefetchEntries(series);
  }

 private:
  std::optional<std::span<const ChunkEntry>> findKnown(SeriesRef series);

  const Segment* segment_ = nullptr;
  TimeRange range_{0, -1};
  std::vector<ChunkEntry> found_;
  std::vector<SeriesRef> known_;  // Series whose chunks are all in `found_`, in order.
  std::size_t next_ = 0;          // The first of them that was not asked for,
  std::size_t at_ = 0;            // and where its chunks begin, or would.
};

}  // namespace seriesdb
