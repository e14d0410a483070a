// Opens the segments of a database during recovery, and updates the time bounds of series.
#pragma once

#include "storage/state/engine_state.h"

namespace seriesdb {

// Opens all segments that MANIFEST names, and puts them and its tombstones into the view.
//
// A damaged segment stays in place: other segments are served, and queries of its time
// range fail. If file descriptors run out, the segment may be intact, so the start
// fails.
Status openSegments(EngineState& state);

// Call after the replay: chunk directories and WAL records include samples that were deleted later.
void narrowBounds(EngineState& state);

}  // namespace seriesdb
