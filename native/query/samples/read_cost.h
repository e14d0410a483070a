// The maximum cost of a read, to choose the thread that does it.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "common/types/sample.h"
#include "storage/view/view.h"

namespace seriesdb {

struct ReadCost {
  std::uint64_t memorySamples = 0;  // In memtables and merges.
  std::uint64_t samples = 0;        // These and the samples of whole chunks.
  std::uint64_t reached = 0;        // The approximate count of these samples in the ranges.
  std::uint64_t work = 0;           // In quickly decoded samples: some 0.8 ns each.
};

// The cost of a read if it may be short: it needs few chunks, all in memory, from few segments. The
// ranges must lie in `hull`. Segment directories must be in memory for all of `hull`, because
// skipped chunks are counted too. Null for any other read, which belongs on a query thread, and for
// a read whose first series cost too much for their share; null is quick, too.
std::optional<ReadCost> shortCostOf(const View& view, std::span<const SeriesRef> refs,
                                    std::span<const TimeRange> ranges, TimeRange hull);

}  // namespace seriesdb
