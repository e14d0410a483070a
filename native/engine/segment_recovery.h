// The segments of a database that is being opened, and what they make of the bounds of series.
#pragma once

#include "state/engine_state.h"

namespace seriesdb {

// Opens all that the manifest names, and puts them and its tombstones into the view.
//
// A damaged segment stays where it is: the rest is served, and queries of its time range are
// refused. One that could not be looked at for want of descriptors may be whole: the start is
// refused.
Status openSegments(EngineState& state);

// After the replay: chunk directories and records tell of samples that were deleted since, too.
void narrowBounds(EngineState& state);

}  // namespace seriesdb
