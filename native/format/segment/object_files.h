// Lists the files below objects/, whoever made them.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "common/base/status.h"
#include "common/digest/sha256.h"
#include "common/file/file_system.h"

namespace seriesdb {

struct ObjectFile {
  std::string name;            // From the directory of the database on.
  std::optional<Sha256> hash;  // None of one that was being written.
};
// The files with names of ours; without the folder there are none.
Result<std::vector<ObjectFile>> objectFilesIn(FileSystem& fs, const std::string& directory);

}  // namespace seriesdb
