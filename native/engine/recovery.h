// From the files of a database to the state that it had.
#pragma once

#include "state/engine_state.h"

namespace seriesdb {

// REQUIRES: the directory is locked, and has ROOT. Fails as openState() does.
Status recoverDatabase(EngineState& state);

}  // namespace seriesdb
