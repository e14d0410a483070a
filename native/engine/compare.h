// The same aggregate of one series over two time windows, as the JSON text of the answer.
#pragma once

#include <string>

#include "base/status.h"
#include "engine/engine_state.h"
#include "engine/selector.h"
#include "engine/window_aggregate.h"

namespace seriesdb {

struct Comparison {
  Selector selector;
  TimeRange current;
  TimeRange baseline;
  Aggregate aggregate = Aggregate::kLast;
};

// Both windows are read from one view, and may overlap. REQUIRES: start <= end in both.
// kSeriesNotFound, kAmbiguousSelector; kStorageCorrupt when a window meets a damaged segment.
Result<std::string> compareWindows(const EngineState& state, const Comparison& comparison);

}  // namespace seriesdb
