#include "view/selector.h"

namespace seriesdb {

Result<std::optional<SeriesRef>> selectSeries(const SeriesIndex& index, const Selector& selector) {
  if (selector.id) return index.findById(*selector.id);
  if (!selector.labels) return index.findByName(selector.name);
  return index.findExact(selector.name, viewsOf(*selector.labels));
}

Status checkReadable(const View& view, TimeRange range) {
  for (const SegmentFacts& facts : view.damaged) {
    if (facts.tsMin > range.end || facts.tsMax < range.start) continue;
    return Status::corrupt("samples from " + std::to_string(facts.tsMin) + " to " +
                           std::to_string(facts.tsMax) + " are in a damaged segment, " +
                           segmentNameOf(facts));
  }
  return Status::okStatus();
}

}  // namespace seriesdb
