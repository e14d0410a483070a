// Finds the samples that a database lacks: those whose series has no sample at that time, whatever
// its value.
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
  std::size_t told = 0;      // Of how many times, from the first on, it is known.
  std::uint64_t looked = 0;  // Samples of the series that were looked at.
};

// Replaces `missing` by the places of those times at which the series has no sample: all of them,
// where there is no such series. That is told of all times, or of as many as can be by a look at
// about `lookedMax` samples of the series. Fails as a read of the times does. REQUIRES: `ts` is
// ascending, and not empty.
Result<MissingLook> findMissing(const PinnedView& view, std::optional<SeriesRef> ref,
                                std::span<const Timestamp> ts, std::uint64_t lookedMax,
                                std::vector<std::uint32_t>& missing);

// Leaves the missing ones of `samples`, whose series are all pending and stay so. Fails, with the
// samples in no order, as findMissing() does. REQUIRES: the samples of a series stand together,
// ascending in time.
Status keepMissing(const PinnedView& view, const SeriesIndex& index, StagedSamples& samples);

}  // namespace seriesdb
