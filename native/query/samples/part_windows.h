// Windows of time that threads fold separately, for queries with too few series to split.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "common/types/sample.h"
#include "query/expression/bucket.h"
#include "storage/view/view.h"

namespace seriesdb {

// At most `countMax` adjacent windows that cover the range, cut between buckets. So one thread
// folds each bucket, to the same bits. Returns the range alone if it has too few samples. Also if
// its first or last bucket has no start. Samples that arrive meanwhile may count in a later window
// but not in an earlier one. The same holds between series. REQUIRES: range.start <= range.end; the
// series ascend.
std::vector<TimeRange> windowsOf(const View& view, std::span<const SeriesRef> series,
                                 const BucketSpec& buckets, TimeRange range, std::size_t countMax);

}  // namespace seriesdb
