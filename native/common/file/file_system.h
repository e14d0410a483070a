// The disk, handed in as an object so that tests own it: PosixFileSystem is the
// real one; tests wrap it to inject errors, short writes and lost bytes.
// All methods are safe to call from several threads on different files. Where descriptors or memory
// of the kernel ran out the code is kExhausted: it says nothing of the file.
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

// An immutable file, read at any place by any number of threads.
//
// It is mapped into memory where that can be had, because a read then costs no system call.
class ReadableFile {
 public:
  virtual ~ReadableFile() = default;
  // As it was opened.
  virtual std::uint64_t size() const = 0;
  // All of it, for as long as the object lives, or empty where it is not mapped. What was read from
  // there counts when isMappingLost() says false afterwards; else it may be zeros that stand for a
  // page which could not be read, and read() must be asked.
  virtual Bytes mapped() const = 0;
  // For ever once it is true.
  virtual bool isMappingLost() const = 0;
  // Fills `to` with the bytes from `offset` on. The message does not name the file.
  // kStorageCorrupt when it ends before; kExhausted; kIo.
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

  // Makes a new empty file; fails when the path exists.
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
  // A second name for a file. Fails when `to` exists, and where the file system has no such thing.
  virtual Status link(const std::string& from, const std::string& to) = 0;
  virtual Status remove(const std::string& path) = 0;
  virtual Status syncDirectory(const std::string& path) = 0;
  // Locks `path` (a file made if missing, holding our process id). When another
  // process has it: kLocked, with that process's id in the message.
  virtual Result<std::unique_ptr<DirectoryLock>> lock(const std::string& path) = 0;
  // Makes a file of `size` bytes of which every block is taken. kStorageUnavailable without room;
  // kIo also where the file system cannot. Leaves no file when it fails.
  virtual Status preallocate(const std::string& path, std::uint64_t size) = 0;
  // Bytes free for us on the file system that holds `path`.
  virtual Result<std::uint64_t> freeBytes(const std::string& path) = 0;
};

// The real disk. Lives for the whole process.
FileSystem& posixFileSystem();

// Calls `visit` with all of the file, a MiB at a time, until it fails. The message of a read that
// failed does not name the file.
Status visitPieces(const ReadableFile& file, const std::function<Status(Bytes piece)>& visit);

// Of the name of a file until it takes the place of another.
inline constexpr std::string_view kTemporarySuffix = ".tmp";

// Removes what an earlier try may have left there.
Status removeLeftover(FileSystem& fs, const std::string& path);

// Publishes `bytes` at `path`: temp file -> fsync -> rename -> fsync of the directory.
Status replaceFile(FileSystem& fs, const std::string& directory, const std::string& name,
                   Bytes bytes);

}  // namespace seriesdb
