// Making a new database in a directory.
#pragma once

#include "state/engine_state.h"

namespace seriesdb {

// REQUIRES: the directory is locked, and has no ROOT. An unfinished creation is cleared away;
// kStorageCorrupt where there is more than one leaves.
Status createDatabase(EngineState& state);

}  // namespace seriesdb
