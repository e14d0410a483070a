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

// Checks the memory that new descriptors would take beside those of the index. What passes
// `bytesMax` is kSeriesLimit, and nothing has changed; a request that keeps the first descriptors
// loses those that pass it, counted as skipped, and fails only when nothing else is left of it.
Status limitDescriptors(const SeriesIndex& index, StagedSamples& samples, std::uint64_t bytesMax);

// kSeriesLimit if the series that the index lacks would take more than `room` bytes.
Status limitSeries(const SeriesIndex& index, const StagedSamples& samples, std::uint64_t room);

// Afterwards every ref of `samples` is of a series that the index has, also where one was gone
// since the lines were parsed, and `pendingDescriptors` holds those that were newly set. Limits and
// descriptors are checked before anything changes: what another request did since the lines were
// parsed is found here. kSeriesLimit, kDescriptorConflict, kPayloadTooLarge.
Status resolvePending(SeriesIndex& index, StagedSamples& samples, const SeriesLimits& limits);

}  // namespace seriesdb
