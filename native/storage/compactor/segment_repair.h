// The result of a repair of a damaged segment.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "storage/compactor/segments/segment_salvage.h"

namespace seriesdb {

class Segment;

enum class SegmentOutcome : std::uint8_t {
  kGone,       // The database no longer has it.
  kPutBack,    // It is whole again, or a whole copy replaced it.
  kRewritten,  // A new segment has its readable samples.
  kDropped,    // Nothing of it was readable.
  kLeft,       // It stays, because a repair would lose samples.
};
struct SegmentRepair {
  SegmentOutcome outcome = SegmentOutcome::kGone;
  SegmentLoss loss{};
  // Segments that became readable; they may have been unreadable since the start.
  std::vector<std::shared_ptr<const Segment>> readable{};
};

}  // namespace seriesdb
