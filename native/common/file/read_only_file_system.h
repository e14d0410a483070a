// The real disk for read-only use. Any change is refused with kIo, so everything opened through it
// writes no byte. Lives for the whole process.
//
// Its lock is shared: any number of processes may read a directory while none has it open for
// writing. If the lock file is missing, no process has opened the directory yet, and none is made.
// A file opened for appending reports its size, and its sync does nothing.
#pragma once

#include <memory>
#include <string>

#include "common/file/file_system.h"

namespace seriesdb {

FileSystem& readOnlyFileSystem();

// The base of file systems that refuse every change. The others say what is there.
class ReadOnlyFiles : public FileSystem {
 public:
  Result<std::unique_ptr<WritableFile>> create(const std::string& path) final;
  Result<std::unique_ptr<WritableFile>> openAppend(const std::string& path) final;
  Status makeDirectory(const std::string& path) final;
  Status rename(const std::string& from, const std::string& to) final;
  Status link(const std::string& from, const std::string& to) final;
  Status remove(const std::string& path) final;
  Status syncDirectory(const std::string& path) final;
  Status preallocate(const std::string& path, std::uint64_t size) final;

 protected:
  // For a directory that no process can have open for writing.
  static std::unique_ptr<DirectoryLock> noLock();
};

}  // namespace seriesdb
