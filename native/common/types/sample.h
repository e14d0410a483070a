// The smallest values: timestamps, samples, time ranges and the two kinds of series number.
#pragma once

#include <cstdint>

namespace seriesdb {

// Opaque signed 64-bit time in the database's unit.
using Timestamp = std::int64_t;

struct Sample {
  Timestamp ts;
  double value;
};

// Inclusive on both ends. Empty when start > end.
struct TimeRange {
  Timestamp start;
  Timestamp end;
  bool contains(Timestamp ts) const { return start <= ts && ts <= end; }
};

// True if the ranges overlap.
inline bool overlaps(TimeRange a, TimeRange b) { return a.start <= b.end && b.start <= a.end; }

// The public id of a series: the top 53 bits of XXH64 over its identity text,
// or the next free number after a collision. Recorded with the series, never recomputed.
using SeriesId = std::uint64_t;

// The dense number of a series inside one data directory: 0, 1, 2… in order of creation.
// Recorded with the series; stable for the life of the directory.
using SeriesRef = std::uint32_t;

}  // namespace seriesdb
