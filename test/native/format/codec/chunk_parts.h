// Reads parts of a chunk and compares them with the samples it was made of.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <vector>

#include "format/codec/chunk.h"

namespace seriesdb::test {

// True if a time range returns exactly the samples in it.
inline bool comesBackIn(Bytes chunk, TimeRange range, const std::vector<Timestamp>& ts,
                        const std::vector<double>& values) {
  std::vector<Timestamp> times(ts.size());
  std::vector<double> numbers(ts.size());
  const auto found = decodeChunkIn(chunk, range, times, numbers);
  if (!found.ok()) return false;
  const SamplePlaces places = found.value();
  const SamplePlaces expected = placesOf(ts, range);
  if (places.size() != expected.size()) return false;
  if (places.size() == 0) return true;
  const std::size_t at = places.begin;
  return at == expected.begin &&
         std::memcmp(&times[at], &ts[at], places.size() * sizeof(Timestamp)) == 0 &&
         std::memcmp(&numbers[at], &values[at], places.size() * sizeof(double)) == 0;
}

// True if that holds for ranges that begin and end at, between and beyond timestamps.
inline bool partsComeBack(Bytes chunk, const std::vector<Timestamp>& ts,
                          const std::vector<double>& values) {
  const auto comesBack = [&](Timestamp start, Timestamp end) {
    return comesBackIn(chunk, {start, end}, ts, values);
  };
  const std::size_t last = ts.size() - 1;
  for (const std::size_t begin : {std::size_t{0}, std::size_t{1}, last / 3, last / 2, last}) {
    for (const std::size_t length : {0, 1, 7, 127, 128, 129, 700}) {
      const Timestamp start = ts[std::min(begin, last)];
      const Timestamp end = ts[std::min(begin + length, last)];
      if (!comesBack(start, end)) return false;
      // The range lies between timestamps and may be empty.
      if (!comesBack(std::min(start, INT64_MAX - 1) + 1, std::max(end, INT64_MIN + 1) - 1)) {
        return false;
      }
    }
  }
  return comesBack(INT64_MIN, INT64_MAX) && comesBack(INT64_MIN, ts[last / 2]) &&
         comesBack(ts[last / 2], INT64_MAX);
}

}  // namespace seriesdb::test
