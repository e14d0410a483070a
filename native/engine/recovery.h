// From the files of a database to the state that it had.
#pragma once

#include "state/engine_state.h"

namespace seriesdb {

// REQUIRES: the directory is locked, and has ROOT. Fails as openState() does.
// Where the disk takes no writes, the state is that of the files all the same, and awaitsRoom.
Status recoverDatabase(EngineState& state);

// Tries again to begin writing. kStorageUnavailable: the disk still takes no writes. Any other
// failure is final. Called on the committer's thread.
// REQUIRES: state.awaitsRoom, which the caller clears on success.
Status resumeWriting(EngineState& state);

}  // namespace seriesdb
