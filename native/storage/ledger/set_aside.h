// What is taken out of use and may be wanted once more goes to quarantine/: nothing there is ever
// overwritten or removed by us.
#pragma once

#include <string>
#include <string_view>

#include "common/base/status.h"
#include "common/file/file_system.h"

namespace seriesdb {

// A name in quarantine/, from the directory of the database on, that no file has: NAME.damaged, or
// that with the first number behind it that is free. `name` may have folders, which it loses. Makes
// quarantine/. REQUIRES: nobody else sets anything aside in this directory.
Result<std::string> quarantineNameFor(FileSystem& fs, const std::string& directory,
                                      std::string_view name);

// Moves a file there, durably; gives its new name.
Result<std::string> setAside(FileSystem& fs, const std::string& directory,
                             const std::string& name);

// The file stays where it is, and has a name in quarantine/ as well, durably; where the file system
// has no second names, a copy. Gives that name; none where there is no file.
Result<std::string> keepAside(FileSystem& fs, const std::string& directory,
                              const std::string& name);

// A durable copy of `from`, as `to`, where there is nothing. On failure it leaves none, if it can.
Status copyFile(FileSystem& fs, const std::string& from, const std::string& to);

}  // namespace seriesdb
