// What of given samples a database does not have: those whose series has none at that time,
// whatever its value.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/status.h"
#include "engine/view.h"
#include "index/series_index.h"
#include "ndjson/ingest_parser.h"

namespace seriesdb {

// Replaces `missing` by the places of those times at which the series has no sample. Fails as a
// read of the times does. REQUIRES: `ts` is ascending, and not empty.
Status findMissing(const PinnedView& view, SeriesRef ref, std::span<const Timestamp> ts,
                   std::vector<std::uint32_t>& missing);

// Leaves the missing ones of `samples`. A pending series that the index knows is no longer one to
// them. Fails, with the samples in no order, as findMissing() does. REQUIRES: the samples of a
// series stand together, ascending in time.
Status keepMissing(const PinnedView& view, const SeriesIndex& index, StagedSamples& samples);

}  // namespace seriesdb
