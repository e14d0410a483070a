// Creates a new database in a directory.
#pragma once

#include "common/base/status.h"
#include "storage/engine/engine_owners.h"

namespace seriesdb {

// REQUIRES: the directory is locked and has no ROOT. Removes an unfinished creation;
// kStorageCorrupt if the directory has more files than an unfinished creation leaves.
Status createDatabase(EngineOwners& owners);

}  // namespace seriesdb
