// Which segment a file holds, told by the file alone: for what MANIFEST does not name, or names
// otherwise.
#pragma once

#include <cstdint>
#include <string>

#include "base/file_system.h"
#include "base/status.h"

namespace seriesdb {

struct SegmentIdentity {
  std::uint32_t fileCrc = 0;      // As SegmentFacts::fileCrc.
  std::uint64_t sequenceMax = 0;  // The highest record of the log that it contains.
};

// kStorageCorrupt when header, directory or footer are damaged. Chunks are not looked at.
Result<SegmentIdentity> readSegmentIdentity(FileSystem& fs, const std::string& directory,
                                            std::uint64_t number);

}  // namespace seriesdb
