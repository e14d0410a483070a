// The first and the last visible sample of a series in a view, for discovery.
#pragma once

#include <optional>

#include "index/series_index.h"
#include "storage/view/view.h"

namespace seriesdb {

// Nothing if no sample is left. Decodes a chunk only if a deletion cuts into the first or last one.
// If such a chunk is damaged, its own bounds count.
std::optional<TimeRange> liveBounds(const View& view, SeriesRef ref);

// Updates the index's bounds of these series and their names from the view. Takes long. REQUIRES:
// as SeriesIndex::replaceBounds().
void renewBounds(SeriesIndex& index, const View& view, std::span<const SeriesRef> refs);

}  // namespace seriesdb
