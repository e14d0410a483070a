#include "segment/chunk_finder.h"

#include <algorithm>

#include "segment/directory_page.h"

namespace seriesdb {

std::span<const ChunkEntry> ChunkFinder::find(const Segment& segment, SeriesRef series,
                                              TimeRange range) {
  if (segment_ != &segment) {
    segment_ = &segment;
    finds_ = 0;
    read_.clear();
  }
  if (isWithin(series)) return findWithin(series, range);
  found_.clear();
  segment.find(series, range, found_);
  if (!found_.empty()) note(found_.front());
  return found_;
}

std::span<const ChunkEntry> ChunkFinder::findWithin(SeriesRef series, TimeRange range) {
  const auto isBefore = [series](const ChunkEntry& entry) { return entry.series < series; };
  // Mostly the next one, or one of the next.
  std::size_t at = read_[at_].series > series ? 0 : at_;
  for (int i = 0; i < kNear && isBefore(read_[at]); ++i) ++at;
  if (isBefore(read_[at])) {
    const auto from = read_.begin() + static_cast<std::ptrdiff_t>(at);
    at = static_cast<std::size_t>(std::partition_point(from, read_.end(), isBefore) -
                                  read_.begin());
  }
  at_ = at;
  while (read_[at].series == series && read_[at].summary.tsMax < range.start) ++at;
  std::size_t end = at;
  while (read_[end].series == series && read_[end].summary.tsMin <= range.end) ++end;
  return {read_.data() + at, end - at};
}

// Its first and its last series may go on in another page.
bool ChunkFinder::isWithin(SeriesRef series) const {
  return !read_.empty() && series > read_.front().series && series < read_.back().series;
}

void ChunkFinder::note(const ChunkEntry& found) {
  if (!found.isKnown()) return;
  const auto page = static_cast<std::uint32_t>(found.place / kPageChunks);
  if (page == page_ && ++finds_ < kManyFinds) return;
  const bool isNext = page == page_ + 1 && !read_.empty();
  if (page != page_) {
    finds_ = 1;
    read_.clear();
  }
  page_ = page;
  at_ = 0;
  if (read_.empty() && (isNext || finds_ >= kManyFinds) && !segment_->readPage(page, read_).ok()) {
    read_.clear();
  }
}

}  // namespace seriesdb
