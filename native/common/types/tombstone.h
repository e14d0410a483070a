// A deletion that is not yet applied to all files. Readers mask these samples of these series in
// every source that was complete before it.
//
// The active memtable erases the samples at once. An immutable source (frozen memtable or segment)
// is masked if its last WAL record is older than the tombstone. So samples written after the
// deletion stay visible, whatever their timestamps.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "common/base/bytes.h"
#include "common/base/status.h"
#include "common/types/sample.h"

namespace seriesdb {

// On disk, in the WAL: do not renumber.
inline constexpr std::uint8_t kTombstoneRecordType = 3;
// Maximum series per tombstone, so that its record stays far below kRecordPayloadSizeMax.
inline constexpr std::size_t kTombstoneSeriesMax = std::size_t{1} << 24;

struct Tombstone {
  std::vector<SeriesRef> refs;  // Strictly ascending, 1 to kTombstoneSeriesMax.
  TimeRange range{0, -1};       // Not empty; the database's unit; inclusive.
  std::uint64_t sequence = 0;   // The sequence of its WAL record, up to kSequenceMax.

  bool holds(SeriesRef ref) const;
  // True if it masks everything that the earlier one masks.
  bool covers(const Tombstone& earlier) const;
};

// Ascending by sequence. Shared: the view, the manifest and their readers hold the same ones.
using Tombstones = std::vector<std::shared_ptr<const Tombstone>>;

// Appends everything but the sequence, which its record carries.
void encodeTombstone(ByteBuffer& out, const Tombstone& tombstone);
// kStorageCorrupt for bytes that encodeTombstone() cannot have written. Reads nothing after them.
Result<Tombstone> decodeTombstone(ByteReader& reader);

// The deletions that touch one series in a range, for lookups by source.
class Masks {
 public:
  // Adds a deletion that names the series, if it overlaps the range. Call sort() after the last.
  void add(const Tombstone& tombstone, TimeRange range);
  void sort();

  bool isEmpty() const { return masks_.empty(); }
  // The deleted ranges of a source that deletions after `floor` mask: disjoint, ascending.
  std::vector<TimeRange> holesOf(std::uint64_t floor) const;

 private:
  struct Mask {
    TimeRange range;
    std::uint64_t sequence;
  };
  std::vector<Mask> masks_;  // Ascending by start.
};

// For holes from holesOf(): true if one of them overlaps the range, or covers it.
bool touchesHole(const std::vector<TimeRange>& holes, TimeRange range);
bool isInHole(const std::vector<TimeRange>& holes, TimeRange range);
inline bool isInHole(const std::vector<TimeRange>& holes, Timestamp ts) {
  return isInHole(holes, TimeRange{ts, ts});
}

}  // namespace seriesdb
