// The place where samples are staged.
#pragma once

#include <cstdint>

#include "common/types/sample.h"

namespace seriesdb {

// The place of the next line's samples; it has room for the frame's sampleCount.
struct ColumnCursor {
  SeriesRef* refs;
  Timestamp* ts;
  double* values;
  std::uint64_t* inexactCount;  // The matcher adds its count to this.
};

}  // namespace seriesdb
