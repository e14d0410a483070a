// Identifies a segment by its file alone, for files that MANIFEST does not name or names otherwise.
#pragma once

#include <cstdint>
#include <string>

#include "common/base/status.h"
#include "common/file/file_system.h"
#include "format/segment/segment.h"

namespace seriesdb {

// The path of the segment's file. A segment with a hash may still have its older file name.
Result<std::string> findSegmentFile(FileSystem& fs, const std::string& directory,
                                    const SegmentFacts& facts);

// The folder of the objects whose hashes begin like this one. Makes it if missing; durable when ok.
// It also syncs an existing folder's parent: another thread or an earlier run may have skipped
// that.
Result<std::string> makeObjectFolder(FileSystem& fs, const std::string& directory,
                                     const Sha256& hash);

// Facts that only MANIFEST knows keep their defaults: sequenceMin and erasedThrough are 0, place
// and hash are none. kStorageCorrupt if header, directory or footer are damaged. Chunks are not
// checked.
Result<SegmentFacts> readSegmentIdentity(FileSystem& fs, const std::string& path);

// True if the file has a sound header of a newer version: such a segment is not damaged.
bool isOfLaterProgram(FileSystem& fs, const std::string& path);

}  // namespace seriesdb
