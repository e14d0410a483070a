// Which segment a file holds, told by the file alone: for what MANIFEST does not name, or names
// otherwise.
#pragma once

#include <cstdint>
#include <string>

#include "base/file_system.h"
#include "base/status.h"
#include "segment/segment.h"

namespace seriesdb {

// What only MANIFEST knows stays as SegmentFacts has it by itself: sequenceMin and erasedThrough
// are 0, and it has no place. kStorageCorrupt when header, directory or footer are damaged. Chunks
// are not looked at.
Result<SegmentFacts> readSegmentIdentity(FileSystem& fs, const std::string& directory,
                                         std::uint64_t number);

}  // namespace seriesdb
