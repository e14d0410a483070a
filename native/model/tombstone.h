// A deletion that is not yet carried out everywhere: these samples of these series count as gone in
// every source that was complete before it.
//
// A memtable that is still written to gives up its samples at once; of what is immutable (frozen
// memtables and segments), a source is masked while its last WAL record came before the tombstone.
// So a sample that is written after the deletion is seen, whatever its timestamp.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "base/bytes.h"
#include "base/status.h"
#include "model/sample.h"

namespace seriesdb {

// On disk, in the WAL: do not renumber.
inline constexpr std::uint8_t kTombstoneRecordType = 3;
// Series of one tombstone, so that its record stays far below kRecordPayloadSizeMax.
inline constexpr std::size_t kTombstoneSeriesMax = std::size_t{1} << 24;

struct Tombstone {
  std::vector<SeriesRef> refs;  // Strictly ascending, 1 to kTombstoneSeriesMax.
  TimeRange range{0, -1};       // Not empty; the database's unit; inclusive.
  std::uint64_t sequence = 0;   // Of its WAL record, up to kSequenceMax.

  bool holds(SeriesRef ref) const;
  // Whether it masks everything that an earlier one does.
  bool covers(const Tombstone& earlier) const;
};

// Ascending by sequence. Shared: the view, the manifest and their readers hold the same ones.
using Tombstones = std::vector<std::shared_ptr<const Tombstone>>;

// Appends everything but the sequence, which its record carries.
void encodeTombstone(ByteBuffer& out, const Tombstone& tombstone);
// kStorageCorrupt for bytes that encodeTombstone cannot have written. Reads nothing behind them.
Result<Tombstone> decodeTombstone(ByteReader& reader);

// The deletions that touch one series in a range, ready to be asked by source.
class Masks {
 public:
  // Adds one that names the series, when it meets the range. sort() comes behind the last.
  void add(const Tombstone& tombstone, TimeRange range);
  void sort();

  bool isEmpty() const { return masks_.empty(); }
  // What is gone of a source that deletions after `floor` mask: disjoint, ascending.
  std::vector<TimeRange> holesOf(std::uint64_t floor) const;

 private:
  struct Mask {
    TimeRange range;
    std::uint64_t sequence;
  };
  std::vector<Mask> masks_;  // Ascending by start.
};

// Of holes as holesOf() gives them. Whether one of them has part of the range, or all of it.
bool touchesHole(const std::vector<TimeRange>& holes, TimeRange range);
bool isInHole(const std::vector<TimeRange>& holes, TimeRange range);
inline bool isInHole(const std::vector<TimeRange>& holes, Timestamp ts) {
  return isInHole(holes, TimeRange{ts, ts});
}

}  // namespace seriesdb
