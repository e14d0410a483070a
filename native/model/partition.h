// Where a segment stands once its samples were compacted: a partition is one slot of time of one
// class of series. compaction/ladder.h tells how slots lie.
#pragma once

#include <compare>
#include <cstdint>
#include <limits>

#include "model/sample.h"

namespace seriesdb {

// A stretch of the database's time in its unit, as ages are.
using Duration = std::int64_t;
// What nothing removes is kept so long.
inline constexpr Duration kForever = std::numeric_limits<Duration>::max();

// On disk: do not renumber.
enum class SlotWidth : std::uint8_t { k3Hours = 0, k1Day = 1, k8Days = 2 };
inline constexpr SlotWidth kWidestSlot = SlotWidth::k8Days;

// Before and behind every slot: under these numbers stand the attic of a class and its loft.
inline constexpr std::int64_t kAtticSlot = std::numeric_limits<std::int64_t>::min();
inline constexpr std::int64_t kLoftSlot = std::numeric_limits<std::int64_t>::max();
// Whether it is one of the two, which get samples at any time.
inline constexpr bool isEndless(std::int64_t slot) {
  return slot == kAtticSlot || slot == kLoftSlot;
}

// In MANIFEST and in commits, like the two below.
struct PartitionPlace {
  std::uint32_t classNumber = 0;  // Of a CompactionClass that is there.
  SlotWidth width = kWidestSlot;  // The leaf of that class.
  std::int64_t slot = 0;          // So many widths since 0; or kAtticSlot, or kLoftSlot.

  auto operator<=>(const PartitionPlace&) const = default;
};

// The series that retention keeps equally long, under one version of its rules. A change of rules
// gives new numbers to all, so that a series is in one class of a version, and in lists of an older
// version only with samples that came before.
struct CompactionClass {
  std::uint32_t number = 0;      // Above those of all classes before it.
  std::uint32_t version = 0;     // From 1, one more with each change of the rules.
  Duration keep = kForever;      // From 1, in the database's unit.
  SlotWidth leaf = kWidestSlot;
  // What lies below shares one slot, the attic, so that nonsense timestamps do not make thousands
  // of files. Constant for the class, and the start of a slot of every width. Up to loftStart.
  Timestamp atticEnd = 0;
  // What lies from there on does so, too: the loft. The highest timestamp: there is none.
  Timestamp loftStart = std::numeric_limits<Timestamp>::max();

  bool operator==(const CompactionClass&) const = default;
};

// Deletions up to a sequence mask nothing in a segment.
struct FloorRaise {
  std::uint64_t number = 0;  // Of the segment.
  std::uint64_t erasedThrough = 0;  // A sequence above its floor, up to kSequenceMax.

  bool operator==(const FloorRaise&) const = default;
};

}  // namespace seriesdb
