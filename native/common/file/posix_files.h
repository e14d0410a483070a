// The open files of the POSIX file system: one for appending, one for reading, one locked.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "common/file/file_system.h"
#include "common/file/posix_descriptor.h"

namespace seriesdb::posix {

// Appends at `size` of the file behind `descriptor`, which is open for writing. Null: the first
// change opens it.
std::unique_ptr<WritableFile> makeWritableFile(std::optional<Descriptor> descriptor,
                                               const std::string& path, std::uint64_t size);
// A file that exists. On a read-only mount, each change fails with kStorageUnavailable until it is
// mounted for writing.
Result<std::unique_ptr<WritableFile>> openWritable(const std::string& path);
Result<std::unique_ptr<ReadableFile>> openReadable(const std::string& path);
Result<std::unique_ptr<DirectoryLock>> lockFile(const std::string& path);
// A lock that others may have too who share it, on a file that there is. Writes nothing.
Result<std::unique_ptr<DirectoryLock>> shareFile(const std::string& path);

// The size of the regular file behind `descriptor`; refuses anything else.
Result<std::uint64_t> regularFileSize(const Descriptor& descriptor, const std::string& path);
// Reads from where the descriptor stands to the end of the file.
Result<ByteBuffer> readToEnd(const Descriptor& descriptor, const std::string& path);

}  // namespace seriesdb::posix
