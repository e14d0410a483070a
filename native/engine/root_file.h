// ROOT: the file that makes a directory a seriesdb database. Written once, last of all when a
// database is made. See docs/format/README.md.
//
//   +-----------------+--------------+-----------+----------------+
//   | "seriesdb" (8B) | version (4B) | unit (1B) | crc32c (4B)    |
//   +-----------------+--------------+-----------+----------------+
#pragma once

#include <string>

#include "base/file_system.h"
#include "base/status.h"
#include "model/timestamp_unit.h"

namespace seriesdb {

Status writeRoot(FileSystem& fs, const std::string& directory, TimestampUnit unit);
// kStorageCorrupt when damaged or of a later version.
Result<TimestampUnit> readRoot(FileSystem& fs, const std::string& directory);

}  // namespace seriesdb
