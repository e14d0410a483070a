// What a compaction is to do: which segments go in, where their samples go, and why.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "storage/compaction/ladder.h"

namespace seriesdb {

enum class CompactionKind : std::uint8_t {
  kNone,       // Nothing to do; see wakeAt.
  kDrop,       // R0: the inputs go.
  kLevelZero,  // R1: L0 into partitions.
  kTier,       // R2: neighbours of one partition become one segment.
  kClose,      // R3: a partition that gets no more live samples takes its last form.
  kRaise,      // R4: floors rise without a byte being read.
  kPurge,      // R4: one segment without what is masked or past its keep; place and form stay.
};

enum class CompactionForm : std::uint8_t { kLevelZero, kTier, kFinal };

// Partitions of one class with any slot from first to last; first may be kAtticSlot. An output is
// made for each that gets a sample.
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
  // None: an L0 that stays one, or nothing is written.
  std::vector<SlotSpan> outputs{};
  CompactionForm form = CompactionForm::kTier;
  // Every output carries this interval, which holds those of the inputs.
  std::uint64_t seqMin = 0;
  std::uint64_t seqMax = 0;
  std::vector<FloorRaise> raises{};
  std::uint64_t bytesIn = 0;
  std::uint64_t bytesOutEstimate = 0;  // At most, as far as sizes of chunks can be foreseen.
  bool isUrgent = false;               // Runs without regard for ingest and queries.
  // Of kPurge: series of which all samples in the segment are past their keep go, too.
  bool takesExpired = false;
  std::uint64_t expiredBytes = 0;  // Their bytes.
  std::uint64_t deferred = 0;      // Of kDrop: segments that another pass takes.
  std::string reason{};
  // Of kNone: when the wall clock alone makes a rule apply. None: only an edit can, or room on the
  // disk, which nobody foresees.
  std::optional<Timestamp> wakeAt{};
  // Of kNone: what would be written next if there were room for it on the disk; 0: nothing.
  std::uint64_t bytesWithoutRoom = 0;
};

}  // namespace seriesdb
