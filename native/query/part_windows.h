// Stretches of time that threads fold apart, for queries of too few series to share out these.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "engine/view.h"
#include "model/sample.h"
#include "query/bucket.h"

namespace seriesdb {

// At most `countMax` windows that follow each other and cover the range, cut between buckets, so
// that each bucket is folded by one thread, as it would be by a lone one. Only the range itself
// where the samples in it are too few for that, or its buckets at an end of time have no start.
// The series ascend. REQUIRES: range.start <= range.end
std::vector<TimeRange> windowsOf(const View& view, std::span<const SeriesRef> series,
                                 const BucketSpec& buckets, TimeRange range, std::size_t countMax);

}  // namespace seriesdb
