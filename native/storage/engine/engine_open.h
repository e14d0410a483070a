// Opens a directory: creates a new database, or recovers an existing one.
#pragma once

#include <memory>

#include "common/base/status.h"
#include "common/file/file_system.h"
#include "storage/engine/engine_owners.h"
#include "storage/state/engine_options.h"

namespace seriesdb {

// When ok, the owners are complete and the active memtable has the samples of the WAL.
// kLocked, kUnitMismatch, kStorageCorrupt (names file and offset), kIo.
Result<std::unique_ptr<EngineOwners>> openDatabase(FileSystem& fs, const EngineOptions& options);

// The error for a directory without a database.
Status noDatabase(const std::string& directory);
// Locks a database that no process has open: kLocked, kIo, and noDatabase() if ROOT and MANIFEST
// are both missing.
Result<std::unique_ptr<DirectoryLock>> lockClosed(FileSystem& fs, const std::string& directory);

}  // namespace seriesdb
