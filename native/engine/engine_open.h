// Opening a directory: making a new database, or recovering one.
#pragma once

#include <memory>

#include "state/engine_state.h"

namespace seriesdb {

// Everything of EngineState is ready when ok, with what the WAL held in the active memtable.
// kLocked, kUnitMismatch, kStorageCorrupt (names file and offset), kIo.
Result<std::unique_ptr<EngineState>> openState(FileSystem& fs, const EngineOptions& options);

// What is told where there is nothing to look at.
Status noDatabase(const std::string& directory);
// The lock of a database that nobody has open: kLocked, kIo, and noDatabase() where neither ROOT
// nor MANIFEST is there.
Result<std::unique_ptr<DirectoryLock>> lockClosed(FileSystem& fs, const std::string& directory);

}  // namespace seriesdb
