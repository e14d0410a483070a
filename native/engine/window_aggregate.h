// One number for the samples of one series in one time window.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "base/status.h"
#include "engine/merge_cursor.h"

namespace seriesdb {

enum class Aggregate : std::uint8_t { kLast, kAvg, kSum, kMin, kMax, kCount, kDelta };

// "last", "avg", … in the order of the enumeration.
std::string_view aggregateName(Aggregate aggregate);
std::optional<Aggregate> aggregateFromName(std::string_view name);

struct WindowAggregate {
  std::uint64_t sampleCount = 0;
  // Nothing without samples, or where the result is not a finite number: a sample that is none, or
  // a sum past the largest double.
  std::optional<double> value;
};

// Reads the cursor to its end. Whole chunks are taken from their summaries where the aggregate
// follows exactly from those. Sums do not depend on how the samples are stored: see
// base/compensated_sum.h. `isCounter` makes a delta the sum of increases, where a
// drop counts as a reset to zero (D23). kStorageCorrupt when a chunk is damaged.
Result<WindowAggregate> aggregateWindow(MergeCursor cursor, Aggregate aggregate, bool isCounter);

}  // namespace seriesdb
