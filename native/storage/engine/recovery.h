// Recovers the state of a database from its files.
#pragma once

#include "storage/state/engine_state.h"

namespace seriesdb {

// REQUIRES: the directory is locked and has ROOT. Fails like openState(). If the disk refuses
// writes, loads the files anyway and sets awaitsRoom.
Status recoverDatabase(EngineState& state);

// Tries again to start writing. kStorageUnavailable: the disk still refuses writes. Any other
// failure is final. Called on the committer's thread. REQUIRES: state.awaitsRoom, which the caller
// clears on success.
Status resumeWriting(EngineState& state);

}  // namespace seriesdb
