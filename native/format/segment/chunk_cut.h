// Cuts the samples of a series into chunks. Internal to segment/.
#pragma once

#include <cstddef>
#include <span>

#include "common/types/sample.h"
#include "common/types/timestamp_unit.h"

namespace seriesdb {

// The size of the first chunk when `count` samples become even parts of at most `most`. So 4097
// samples do not become a full chunk and a single sample. REQUIRES: count > 0.
std::size_t evenCut(std::size_t count, std::size_t most);

// The size of the first chunk of samples at these times, at most kChunkSamplesMax. The chunk ends
// at the roundest time, from a day down to a minute, that leaves kAlignedSamplesMin on either side.
// If kAlignedSamplesMin samples follow on the next day, kFirstDaySamplesMin before midnight
// suffice. Such chunks lie inside query buckets, so their summaries answer queries. REQUIRES: `ts`
// is not empty and ascends.
std::size_t alignedCut(std::span<const Timestamp> ts, TimestampUnit unit);

// With this many samples, an entry and a chunk's fixed-size parts cost below 0.05 bytes a sample.
inline constexpr std::size_t kAlignedSamplesMin = 2048;
// For the day within which the samples begin; most series have one such day.
inline constexpr std::size_t kFirstDaySamplesMin = 512;

}  // namespace seriesdb
