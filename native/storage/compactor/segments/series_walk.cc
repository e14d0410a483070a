#include "storage/compactor/segments/series_walk.h"

#include <algorithm>

namespace seriesdb {

SeriesWalk::SeriesWalk(std::span<const std::shared_ptr<const Segment>> segments) {
  for (const auto& segment : segments) places_.push_back({segment.get()});
}

Result<std::optional<SeriesRef>> SeriesWalk::next() {
  std::optional<SeriesRef> least;
  for (Place& place : places_) {
    const Status skipped = skipTo(place, first_);
    if (!skipped.ok()) return skipped;
    if (place.at == place.page.size()) continue;
    const SeriesRef series = place.page[place.at].series;
    if (!least || series < *least) least = series;
  }
  if (least) first_ = std::uint64_t{*least} + 1;
  return least;
}

Status SeriesWalk::skipTo(Place& place, std::uint64_t first) {
  for (;;) {
    while (place.at < place.page.size() && place.page[place.at].series < first) ++place.at;
    if (place.at < place.page.size() || place.nextPage == place.segment->pageCount()) return {};
    place.at = 0;
    const Status read = place.segment->readPage(place.nextPage++, place.page);
    if (!read.ok()) return read;
  }
}

}  // namespace seriesdb
