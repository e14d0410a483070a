// The place of a compacted segment. A partition is one time slot of one compaction class;
// compaction/ladder.h defines the slots.
#pragma once

#include <compare>
#include <cstdint>
#include <limits>

#include "common/types/sample.h"

namespace seriesdb {

// A duration in the database's unit.
using Duration = std::int64_t;
// The retention time of samples that are kept for ever.
inline constexpr Duration kForever = std::numeric_limits<Duration>::max();

// On disk: do not renumber.
enum class SlotWidth : std::uint8_t { k3Hours = 0, k1Day = 1, k8Days = 2 };
inline constexpr SlotWidth kWidestSlot = SlotWidth::k8Days;

// Slot numbers before and after all others: the attic and the loft of a class.
inline constexpr std::int64_t kAtticSlot = std::numeric_limits<std::int64_t>::min();
inline constexpr std::int64_t kLoftSlot = std::numeric_limits<std::int64_t>::max();
// True for attic and loft, which may get samples at any time.
inline constexpr bool isEndless(std::int64_t slot) {
  return slot == kAtticSlot || slot == kLoftSlot;
}

// Stored in MANIFEST and in commits, like the two structs below.
struct PartitionPlace {
  std::uint32_t classNumber = 0;  // Number of an existing CompactionClass.
  SlotWidth width = kWidestSlot;  // The leaf width of that class.
  std::int64_t slot = 0;          // In widths since 0; or kAtticSlot, or kLoftSlot.

  auto operator<=>(const PartitionPlace&) const = default;
};

// A group of series with the same retention, under one version of its rules. A change of rules
// gives new numbers to all classes. So a series is in one class per version; older classes only
// hold its older samples.
struct CompactionClass {
  std::uint32_t number = 0;   // Above those of all earlier classes.
  std::uint32_t version = 0;  // From 1; each change of the rules adds 1.
  Duration keep = kForever;   // From 1, in the database's unit.
  SlotWidth leaf = kWidestSlot;
  // Earlier samples share one slot, the attic, so that nonsense timestamps do not make thousands of
  // files. Constant for the class, and the start of a slot of every width. At most loftStart.
  Timestamp atticEnd = 0;
  // Samples from this time on share another slot, the loft. The highest timestamp: no loft.
  Timestamp loftStart = std::numeric_limits<Timestamp>::max();

  bool operator==(const CompactionClass&) const = default;
};

// Deletions up to this sequence mask nothing in the segment.
struct FloorRaise {
  std::uint64_t number = 0;         // The segment's number.
  std::uint64_t erasedThrough = 0;  // A sequence above its floor, up to kSequenceMax.

  bool operator==(const FloorRaise&) const = default;
};

}  // namespace seriesdb
