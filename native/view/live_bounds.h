// The first and the last sample of a series that a view still shows, for discovery.
#pragma once

#include <optional>

#include "index/series_index.h"
#include "view/view.h"

namespace seriesdb {

// Nothing when no sample is left. Decodes a chunk only where a deletion cuts into the first or last
// one; where such a chunk is damaged, its own bounds stand.
std::optional<TimeRange> liveBounds(const View& view, SeriesRef ref);

// Gives the index the bounds of these series, and of their names, as the view has them. Takes long.
// REQUIRES: as SeriesIndex::replaceBounds().
void renewBounds(SeriesIndex& index, const View& view, std::span<const SeriesRef> refs);

}  // namespace seriesdb
