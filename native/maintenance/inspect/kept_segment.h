// A segment that snapshots need.
#pragma once

#include <set>
#include <string>

#include "format/segment/segment.h"

namespace seriesdb {

// A segment, and the readable snapshots that need it.
struct KeptSegment {
  SegmentFacts facts;
  std::set<std::string> snapshots;

  std::string sentence() const;
};

}  // namespace seriesdb
