// Segment files that MANIFEST does not name.
//
// A flush that did not finish leaves such files: their numbers were never given out by MANIFEST,
// and the log still holds every record in them. Any other whole one is data, and MANIFEST is not
// the one that was written beside it; then nothing may be removed.
#pragma once

#include <string>

#include "engine/engine_state.h"

namespace seriesdb {

// The name of one that is whole; empty when there is none.
std::string findUnnamedSegment(const EngineState& state);
// kStorageCorrupt, naming MANIFEST, when one is no leftover. To be asked when the log was replayed.
Status checkUnnamedSegments(const EngineState& state);
Status removeUnnamedSegments(EngineState& state);

}  // namespace seriesdb
