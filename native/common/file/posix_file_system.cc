// The real disk. Paths in, Status out; the open files are in file/posix_files.cc.
#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>

#include <algorithm>
#include <cstdio>

#include "common/file/file_system.h"
#include "common/file/posix_descriptor.h"
#include "common/file/posix_files.h"

namespace seriesdb {
namespace {

using posix::failure;
using posix::retry;

std::string parentOf(const std::string& path) {
  const std::size_t end = path.find_last_not_of('/');
  if (end == std::string::npos) return "/";
  const std::size_t slash = path.rfind('/', end);
  if (slash == std::string::npos) return ".";
  return slash == 0 ? "/" : path.substr(0, slash);
}

Result<bool> isDirectory(const std::string& path) {
  struct stat facts {};
  if (::stat(path.c_str(), &facts) == 0) return S_ISDIR(facts.st_mode);
  if (errno == ENOENT || errno == ENOTDIR) return false;
  return failure("stat", path, errno);
}

class PosixFileSystem final : public FileSystem {
 public:
  Result<std::unique_ptr<WritableFile>> create(const std::string& path) override {
    auto descriptor = posix::open(path, O_WRONLY | O_CREAT | O_EXCL);
    if (!descriptor.ok()) return descriptor.status();
    return posix::makeWritableFile(std::move(descriptor).value(), path, 0);
  }

  Result<std::unique_ptr<WritableFile>> openAppend(const std::string& path) override {
    return posix::openWritable(path);
  }

  Result<std::unique_ptr<ReadableFile>> openRead(const std::string& path) override {
    return posix::openReadable(path);
  }

  Result<ByteBuffer> readAll(const std::string& path) override {
    auto descriptor = posix::open(path, O_RDONLY);
    if (!descriptor.ok()) return descriptor.status();
    return posix::readToEnd(descriptor.value(), path);
  }

  Result<bool> exists(const std::string& path) override {
    struct stat facts {};
    if (::stat(path.c_str(), &facts) == 0) return true;
    if (errno == ENOENT || errno == ENOTDIR) return false;
    return failure("stat", path, errno);
  }

  Result<std::vector<std::string>> list(const std::string& directory) override {
    const std::unique_ptr<DIR, int (*)(DIR*)> stream(::opendir(directory.c_str()), &::closedir);
    if (stream == nullptr) return failure("list", directory, errno);
    std::vector<std::string> names;
    for (;;) {
      errno = 0;
      const dirent* entry = ::readdir(stream.get());
      if (entry == nullptr) break;
      const std::string_view name = entry->d_name;
      if (name != "." && name != "..") names.emplace_back(name);
    }
    if (errno != 0) return failure("list", directory, errno);
    std::sort(names.begin(), names.end());
    return names;
  }

  // Syncs the parent of each new directory, which makes the new one durable.
  Status makeDirectory(const std::string& path) override {
    const auto found = isDirectory(path);
    if (!found.ok()) return found.status();
    if (found.value()) return {};
    const std::string parent = parentOf(path);
    if (parent != path) {
      Status made = makeDirectory(parent);
      if (!made.ok()) return made;
    }
    constexpr mode_t kDirectoryMode = 0750;
    if (::mkdir(path.c_str(), kDirectoryMode) == 0) return syncDirectory(parent);
    const int error = errno;
    // Another thread or process may have made it after our check.
    if (error == EEXIST) {
      const auto now = isDirectory(path);
      if (now.ok() && now.value()) return {};
    }
    return failure("make directory", path, error);
  }

  Status rename(const std::string& from, const std::string& to) override {
    if (::rename(from.c_str(), to.c_str()) == 0) return {};
    return failure("rename " + from + " to", to, errno);
  }

  Status link(const std::string& from, const std::string& to) override {
    if (::link(from.c_str(), to.c_str()) == 0) return {};
    return failure("link " + from + " as", to, errno);
  }

  Status remove(const std::string& path) override {
    if (::unlink(path.c_str()) == 0) return {};
    return failure("remove", path, errno);
  }

  Status syncDirectory(const std::string& path) override {
    const auto descriptor = posix::open(path, O_RDONLY | O_DIRECTORY);
    if (!descriptor.ok()) return descriptor.status();
    const int number = descriptor.value().number();
    if (retry([&] { return ::fsync(number); }) == 0) return {};
    return Status::io(failure("sync directory", path, errno).message());
  }

  Result<std::unique_ptr<DirectoryLock>> lock(const std::string& path) override {
    return posix::lockFile(path);
  }

  Status preallocate(const std::string& path, std::uint64_t size) override {
    auto descriptor = posix::open(path, O_WRONLY | O_CREAT | O_EXCL);
    if (!descriptor.ok()) return descriptor.status();
    // Not posix_fallocate, which writes every block if the file system lacks support.
    const int number = descriptor.value().number();
    if (retry([&] { return ::fallocate(number, 0, 0, static_cast<off_t>(size)); }) == 0) return {};
    Status failed = failure("preallocate", path, errno);
    static_cast<void>(remove(path).ok());
    return failed;
  }

  Result<std::uint64_t> freeBytes(const std::string& path) override {
    struct statvfs facts {};
    if (retry([&] { return ::statvfs(path.c_str(), &facts); }) < 0) {
      return failure("measure the free space of", path, errno);
    }
    // f_bavail excludes the blocks reserved for the superuser.
    return static_cast<std::uint64_t>(facts.f_bavail) * facts.f_frsize;
  }
};

}  // namespace

FileSystem& posixFileSystem() {
  static PosixFileSystem fileSystem;
  return fileSystem;
}

}  // namespace seriesdb
