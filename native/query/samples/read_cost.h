// What a read costs at most, to choose the thread that does it.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "common/types/sample.h"
#include "storage/view/view.h"

namespace seriesdb {

struct ReadCost {
  std::uint64_t memorySamples = 0;  // Of memtables and merges.
  std::uint64_t samples = 0;        // Of these and of chunks, whole.
  std::uint64_t reached = 0;        // Of these, those in the ranges, about.
  std::uint64_t work = 0;           // In samples that are decoded quickly: some 0.8 ns each.
};

// The cost of a read that may be short: of few chunks, all of which are in memory, found in few
// segments. The ranges lie in `hull`, all of whose directories are looked at: for the chunks that
// are not read, too. Nothing for any other, which a query thread does; that is told at once, too.
std::optional<ReadCost> shortCostOf(const View& view, std::span<const SeriesRef> refs,
                                    std::span<const TimeRange> ranges, TimeRange hull);

}  // namespace seriesdb
