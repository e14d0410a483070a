// Stretches of time that threads fold apart, for queries of too few series to share out these.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "common/types/sample.h"
#include "query/expression/bucket.h"
#include "storage/view/view.h"

namespace seriesdb {

// At most `countMax` windows that follow each other and cover the range, cut between buckets, so
// that each bucket is folded by one thread, to the same bits. Only the range itself where the
// samples in it are too few for that, or its buckets at an end of time have no start. What arrives
// meanwhile may be in a later window and not in an earlier one, as with series. The series ascend.
// REQUIRES: range.start <= range.end
std::vector<TimeRange> windowsOf(const View& view, std::span<const SeriesRef> series,
                                 const BucketSpec& buckets, TimeRange range, std::size_t countMax);

}  // namespace seriesdb
