// Recovers the state of a database from its files.
#pragma once

#include "common/base/status.h"
#include "storage/engine/engine_owners.h"

namespace seriesdb {

// REQUIRES: the directory is locked and has ROOT. Fails like openDatabase(). If the disk refuses
// writes, loads the files anyway and sets awaitsRoom.
Status recoverDatabase(EngineOwners& owners);

// Tries again to start writing. kStorageUnavailable: the disk still refuses writes. Any other
// failure is final. Called on the committer's thread. REQUIRES: DiskRoom::awaitsRoom,
// which the caller clears on success.
Status resumeWriting(EngineOwners& owners);

}  // namespace seriesdb
