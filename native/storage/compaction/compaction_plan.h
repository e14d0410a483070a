// The plan of one compaction: its inputs, its outputs and its reason.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "storage/compaction/ladder.h"

namespace seriesdb {

enum class CompactionKind : std::uint8_t {
  kNone,       // Nothing to do; see wakeAt.
  kDrop,       // R0: drops the inputs.
  kLevelZero,  // R1: L0 into partitions.
  kTier,       // R2: neighbours of one partition become one segment.
  kClose,      // R3: gives a partition without live samples its final form.
  kRaise,      // R4: raises floors without reading data.
  kPurge,  // R4: rewrites one segment without masked and expired samples, in its place and form.
};

enum class CompactionForm : std::uint8_t { kLevelZero, kTier, kFinal };

// Partitions of one class with the slots from first to last; first may be kAtticSlot. Each that
// gets a sample becomes an output.
struct SlotSpan {
  std::uint32_t classNumber = 0;
  SlotWidth width = kWidestSlot;
  std::int64_t first = 0;
  std::int64_t last = 0;

  bool operator==(const SlotSpan&) const = default;
};

struct CompactionPlan {
  CompactionKind kind = CompactionKind::kNone;
  std::vector<std::uint64_t> inputs{};  // Numbers, the oldest interval first.
  // Empty if an L0 stays one, or if nothing is written.
  std::vector<SlotSpan> outputs{};
  CompactionForm form = CompactionForm::kTier;
  // The sequence interval of every output; it contains those of the inputs.
  std::uint64_t seqMin = 0;
  std::uint64_t seqMax = 0;
  std::vector<FloorRaise> raises{};
  std::uint64_t bytesIn = 0;
  std::uint64_t bytesOutEstimate = 0;  // An upper bound, as far as chunk sizes can be predicted.
  bool isUrgent = false;               // Runs without yielding to ingest and queries.
  // For kPurge: also drops series that have all samples in the segment past their keep.
  bool takesExpired = false;
  std::uint64_t expiredBytes = 0;  // The bytes of these series.
  std::uint64_t deferred = 0;      // For kDrop: segments left for another pass.
  std::string reason{};
  // For kNone: the wall-clock time at which a rule may apply. Null: only an edit, or more disk
  // space, can make a rule apply.
  std::optional<Timestamp> wakeAt{};
  // For kNone: bytes that the next compaction would write if the disk had room; 0 if there is none.
  std::uint64_t bytesWithoutRoom = 0;
};

}  // namespace seriesdb
