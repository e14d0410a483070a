// The open files of the POSIX file system: for appending, for reading, and for locking.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "common/file/file_system.h"
#include "common/file/posix_descriptor.h"

namespace seriesdb::posix {

// Appends at offset `size` of the file behind `descriptor`, which is open for writing. nullopt: the
// first change opens the file.
std::unique_ptr<WritableFile> makeWritableFile(std::optional<Descriptor> descriptor,
                                               const std::string& path, std::uint64_t size);
// Opens an existing file. On a read-only mount, each change fails with kStorageUnavailable until it
// is mounted for writing.
Result<std::unique_ptr<WritableFile>> openWritable(const std::string& path);
Result<std::unique_ptr<ReadableFile>> openReadable(const std::string& path);
Result<std::unique_ptr<DirectoryLock>> lockFile(const std::string& path);
// Takes a shared lock on an existing file; others may share it. Writes nothing.
Result<std::unique_ptr<DirectoryLock>> shareFile(const std::string& path);

// The size of the regular file behind `descriptor`; refuses anything else.
Result<std::uint64_t> regularFileSize(const Descriptor& descriptor, const std::string& path);
// Reads from the descriptor's current position to the end of the file.
Result<ByteBuffer> readToEnd(const Descriptor& descriptor, const std::string& path);

}  // namespace seriesdb::posix
