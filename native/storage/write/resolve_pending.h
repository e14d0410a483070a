// At commit, assigns refs to the series of a request, and sets its descriptors.
#pragma once

#include <cstdint>
#include <optional>

#include "common/base/status.h"
#include "index/series_index.h"
#include "ingest/staged_samples.h"

namespace seriesdb {

// The ref of the series, if the index has it.
std::optional<SeriesRef> knownRef(const SeriesIndex& index, const PendingSeries& series);

// Checks the memory of new descriptors together with the index's. Beyond `bytesMax`, it fails with
// kSeriesLimit and changes nothing. But a request that keeps first descriptors only loses the
// excess ones, counted as skipped, and fails only if nothing else is left.
Status limitDescriptors(const SeriesIndex& index, StagedSamples& samples, std::uint64_t bytesMax);

// kSeriesLimit if the series that the index lacks would take more than `room` bytes.
Status limitSeries(const SeriesIndex& index, const StagedSamples& samples, std::uint64_t room);

// Gives every ref of `samples` a series of the index, also if it was deleted after the parse;
// leaves newly set descriptors in `pendingDescriptors`. Checks limits and descriptors before any
// change, because other requests may have changed the index since the parse. kSeriesLimit,
// kDescriptorConflict, kPayloadTooLarge.
Status resolvePending(SeriesIndex& index, StagedSamples& samples, const SeriesLimits& limits);

}  // namespace seriesdb
