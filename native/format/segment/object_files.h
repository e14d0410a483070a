// Lists the files below objects/, complete and unfinished ones.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "common/base/status.h"
#include "common/digest/sha256.h"
#include "common/file/file_system.h"

namespace seriesdb {

struct ObjectFile {
  std::string name;            // The path relative to the database's directory.
  std::optional<Sha256> hash;  // None for an unfinished file.
};
// The files whose names follow our scheme; empty if the folder is missing.
Result<std::vector<ObjectFile>> objectFilesIn(FileSystem& fs, const std::string& directory);

}  // namespace seriesdb
