// Finds the chunks of one series after another in a segment. Where nearly all series of a page are
// asked for in order, the page is read at once, which takes a fraction of the time that one entry
// after the other does. Not thread-safe.
#pragma once

#include <span>
#include <vector>

#include "segment/segment.h"

namespace seriesdb {

class ChunkFinder {
 public:
  // What Segment::find() gives, valid until the next call, up to which the segment must live.
  std::span<const ChunkEntry> find(const Segment& segment, SeriesRef series, TimeRange range);
  // Has what find() of this series in the same segment reads fetched into the cache, unless it is
  // there. REQUIRES: that segment lives.
  void expect(SeriesRef series) const {
    if (segment_ != nullptr && read_.empty()) segment_->prefetchEntries(series);
  }

 private:
  // So many finds in one page are taken for the beginning of many: as many as it costs to read it.
  static constexpr std::uint32_t kManyFinds = 48;
  // Entries that are looked at before the rest is searched.
  static constexpr int kNear = 12;

  bool isWithin(SeriesRef series) const;
  std::span<const ChunkEntry> findWithin(SeriesRef series, TimeRange range);
  void note(const ChunkEntry& found);

  const Segment* segment_ = nullptr;
  std::vector<ChunkEntry> found_;
  std::uint32_t page_ = 0;        // Where the last chunk was found.
  std::uint32_t finds_ = 0;       // In that page, one after the other.
  std::vector<ChunkEntry> read_;  // The page, when it was read at once; else empty.
  std::size_t at_ = 0;            // Of the last series there.
};

}  // namespace seriesdb
