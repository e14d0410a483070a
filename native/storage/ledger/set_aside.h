// Moves files out of use to quarantine/, in case someone needs them again. We never overwrite or
// remove a file there.
#pragma once

#include <string>
#include <string_view>

#include "common/base/status.h"
#include "common/file/file_system.h"

namespace seriesdb {

// A free name in quarantine/, relative to the database's directory: NAME.damaged, or this with the
// first free number. Drops the folders of `name`. Creates quarantine/. REQUIRES: no concurrent call
// for this directory.
Result<std::string> quarantineNameFor(FileSystem& fs, const std::string& directory,
                                      std::string_view name);

// Moves a file to quarantine/, durably; returns its new name.
Result<std::string> setAside(FileSystem& fs, const std::string& directory,
                             const std::string& name);

// Gives the file a second name in quarantine/, durably, or a copy if the file system has no hard
// links. Returns that name; null if there is no such file.
Result<std::string> keepAside(FileSystem& fs, const std::string& directory,
                              const std::string& name);

// Makes a durable copy of `from` at `to`. REQUIRES: `to` does not exist. On failure it removes the
// copy, if it can.
Status copyFile(FileSystem& fs, const std::string& from, const std::string& to);

}  // namespace seriesdb
