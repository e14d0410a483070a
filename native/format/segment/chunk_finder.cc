#include "format/segment/chunk_finder.h"

namespace seriesdb {

std::span<const ChunkEntry> ChunkFinder::find(const Segment& segment,
                                              std::span<const SeriesRef> series, TimeRange range) {
  const bool isSame =
      segment_ == &segment && range_.start == range.start && range_.end == range.end;
  if (isSame) {
    if (const auto known = findKnown(series.front())) return *known;
  }
  segment_ = &segment;
  range_ = range;
  known_.clear();
  next_ = at_ = 0;
  // If each series is read for a different range, reading them together is wasted.
  const std::size_t together = isSame ? segment.findTogether(series, range, found_) : 0;
  if (together > 0) {
    known_.assign(series.begin(), series.begin() + static_cast<std::ptrdiff_t>(together));
    return *findKnown(series.front());
  }
  found_.clear();
  segment.find(series.front(), range, found_);
  return found_;
}

std::optional<std::span<const ChunkEntry>> ChunkFinder::findKnown(SeriesRef series) {
  while (next_ < known_.size() && known_[next_] < series) {
    const SeriesRef passed = known_[next_++];
    while (at_ < found_.size() && found_[at_].series == passed) ++at_;
  }
  if (next_ == known_.size() || known_[next_] != series) return std::nullopt;
  const std::size_t begin = at_;
  while (at_ < found_.size() && found_[at_].series == series) ++at_;
  ++next_;
  return std::span<const ChunkEntry>(found_).subspan(begin, at_ - begin);
}

}  // namespace seriesdb
