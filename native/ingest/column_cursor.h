// Where staged samples are written.
#pragma once

#include <cstdint>

#include "common/types/sample.h"

namespace seriesdb {

// Where the samples of the next line go; room for the frame's sampleCount of them.
struct ColumnCursor {
  SeriesRef* refs;
  Timestamp* ts;
  double* values;
  std::uint64_t* inexactCount;  // What it counts is added to.
};

}  // namespace seriesdb
