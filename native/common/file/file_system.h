// The disk, passed in as an object so that tests control it. PosixFileSystem is the real one; tests
// wrap it to inject errors, short writes and lost bytes. Several threads may call all methods on
// different files. kExhausted: the kernel ran out of descriptors or memory; it says nothing about
// the file.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "common/base/bytes.h"
#include "common/base/status.h"

namespace seriesdb {

// A file open for appending. Not thread-safe. Closing happens in the destructor.
class WritableFile {
 public:
  virtual ~WritableFile() = default;
  // Appends all bytes or fails; after a failure the size on disk is unknown.
  // An out-of-space failure has the code kStorageUnavailable, others kIo.
  virtual Status append(Bytes bytes) = 0;
  // fdatasync. A failure is final for the file: do not retry.
  virtual Status sync() = 0;
  // Cuts the file to `size` bytes; the next append goes there.
  virtual Status truncate(std::uint64_t size) = 0;
  // Bytes appended so far (the logical size).
  virtual std::uint64_t size() const = 0;
};

// An immutable file, which any number of threads may read at any offset.
//
// The file is mapped into memory if possible, because a read then needs no system call.
class ReadableFile {
 public:
  virtual ~ReadableFile() = default;
  // The size when the file was opened.
  virtual std::uint64_t size() const = 0;
  // The whole file, valid as long as the object lives, or empty if it is not mapped. Data from
  // there is valid only if isMappingLost() is false afterwards. Otherwise it may be zeros in place
  // of an unreadable page: then call read().
  virtual Bytes mapped() const = 0;
  // Stays true once it is true.
  virtual bool isMappingLost() const = 0;
  // Fills `to` with the bytes from `offset` on. The message does not name the file. kStorageCorrupt
  // if the file ends before; kExhausted; kIo.
  virtual Status read(std::uint64_t offset, std::span<std::uint8_t> to) const = 0;
};

// Holds an exclusive lock on a directory until destroyed.
class DirectoryLock {
 public:
  virtual ~DirectoryLock() = default;
};

class FileSystem {
 public:
  virtual ~FileSystem() = default;

  // Makes a new empty file; fails if the path exists.
  virtual Result<std::unique_ptr<WritableFile>> create(const std::string& path) = 0;
  // Opens an existing file for appending at its end.
  virtual Result<std::unique_ptr<WritableFile>> openAppend(const std::string& path) = 0;
  // Opens an existing file for reading. It does not keep a descriptor.
  virtual Result<std::unique_ptr<ReadableFile>> openRead(const std::string& path) = 0;
  // The whole file's content.
  virtual Result<ByteBuffer> readAll(const std::string& path) = 0;
  virtual Result<bool> exists(const std::string& path) = 0;
  // Names (not paths) of the entries, sorted.
  virtual Result<std::vector<std::string>> list(const std::string& directory) = 0;
  // Makes the directory and its missing parents, durably; an existing one is fine.
  virtual Status makeDirectory(const std::string& path) = 0;
  virtual Status rename(const std::string& from, const std::string& to) = 0;
  // Gives a file a second name. Fails if `to` exists, or if the file system has no hard links.
  virtual Status link(const std::string& from, const std::string& to) = 0;
  virtual Status remove(const std::string& path) = 0;
  virtual Status syncDirectory(const std::string& path) = 0;
  // Locks the file `path`, which it makes if missing; the file holds our process id. If another
  // process holds the lock: kLocked, with that process's id in the message.
  virtual Result<std::unique_ptr<DirectoryLock>> lock(const std::string& path) = 0;
  // Makes a file of `size` bytes with every block allocated. kStorageUnavailable without space; kIo
  // also if the file system cannot do it. Leaves no file if it fails.
  virtual Status preallocate(const std::string& path, std::uint64_t size) = 0;
  // Free bytes for this process on the file system that holds `path`.
  virtual Result<std::uint64_t> freeBytes(const std::string& path) = 0;
};

// The real disk. Lives for the whole process.
FileSystem& posixFileSystem();

// Calls `visit` with the whole file, a MiB at a time, until it fails. If a read fails, the message
// does not name the file.
Status visitPieces(const ReadableFile& file, const std::function<Status(Bytes piece)>& visit);

// The name suffix of a file until it replaces another file.
inline constexpr std::string_view kTemporarySuffix = ".tmp";

// Removes the leftover of an earlier try, if there is one.
Status removeLeftover(FileSystem& fs, const std::string& path);

// Publishes `bytes` at `path`: temp file -> fsync -> rename -> fsync of the directory.
Status replaceFile(FileSystem& fs, const std::string& directory, const std::string& name,
                   Bytes bytes);

}  // namespace seriesdb
