// Which segment a file holds, told by the file alone: for what MANIFEST does not name, or names
// otherwise.
#pragma once

#include <cstdint>
#include <string>

#include "common/base/status.h"
#include "common/file/file_system.h"
#include "format/segment/segment.h"

namespace seriesdb {

// The path of the file: of one that has a hash it may still be the name of before.
Result<std::string> findSegmentFile(FileSystem& fs, const std::string& directory,
                                    const SegmentFacts& facts);

// The folder of the objects with such hashes, made where it is missing, and durable when ok:
// another thread or an earlier run may have made it and not come to syncing the one that holds it.
Result<std::string> makeObjectFolder(FileSystem& fs, const std::string& directory,
                                     const Sha256& hash);

// What only MANIFEST knows stays as SegmentFacts has it by itself: sequenceMin and erasedThrough
// are 0, and it has neither a place nor a hash. kStorageCorrupt when header, directory or footer
// are damaged. Chunks are not looked at.
Result<SegmentFacts> readSegmentIdentity(FileSystem& fs, const std::string& path);

// Whether it has a sound header with a version that this program does not read: such a segment is
// not damaged.
bool isOfLaterProgram(FileSystem& fs, const std::string& path);

}  // namespace seriesdb
