// Finds samples that a database lacks: their series has no sample at that time, with any value.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "common/base/status.h"
#include "index/series_index.h"
#include "ingest/staged_samples.h"
#include "storage/view/view.h"

namespace seriesdb {

struct MissingLook {
  std::size_t told = 0;      // The number of leading times with a known answer.
  std::uint64_t looked = 0;  // Samples of the series that were read.
};

// Replaces `missing` by the indexes of the times without a sample of the series; without such a
// series, all times. Stops after about `lookedMax` samples of the series; `told` says how many
// times are answered. Fails as a read does. REQUIRES: `ts` is ascending, and not empty.
Result<MissingLook> findMissing(const PinnedView& view, std::optional<SeriesRef> ref,
                                std::span<const Timestamp> ts, std::uint64_t lookedMax,
                                std::vector<std::uint32_t>& missing);

// Removes the samples that exist already; all series of `samples` are and stay pending. Fails as
// findMissing() does, and then the order of the samples is undefined. REQUIRES: the samples of each
// series are contiguous and ascend in time.
Status keepMissing(const PinnedView& view, const SeriesIndex& index, StagedSamples& samples);

}  // namespace seriesdb
