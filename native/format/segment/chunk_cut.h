// Cuts the samples of a series into chunks. Internal to segment/.
#pragma once

#include <cstddef>
#include <span>

#include "common/types/sample.h"
#include "common/types/timestamp_unit.h"

namespace seriesdb {

// How many of so many samples the first chunk takes: even parts of at most `most`, so that 4097
// samples do not become a full chunk and one of a single sample. REQUIRES: count > 0.
std::size_t evenCut(std::size_t count, std::size_t most);

// The same for samples at these times, of at most kChunkSamplesMax, up to the roundest time, of a
// day down to a minute, that leaves kAlignedSamplesMin on either side; at a midnight before as many
// of the next day, kFirstDaySamplesMin will do. Chunks lie in the buckets of queries then, and
// their summaries answer for them. REQUIRES: `ts` is not empty and ascends.
std::size_t alignedCut(std::span<const Timestamp> ts, TimestampUnit unit);

// A chunk's entry and the parts of fixed size cost below 0.05 bytes a sample of so many.
inline constexpr std::size_t kAlignedSamplesMin = 2048;
// Of the day within which samples begin, as those of most series do once.
inline constexpr std::size_t kFirstDaySamplesMin = 512;

}  // namespace seriesdb
