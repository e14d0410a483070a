#include "common/file/read_only_file_system.h"

#include <utility>

#include "common/file/posix_files.h"

namespace seriesdb {
namespace {

Status refused(const std::string& path) { return Status::io(path + " is open for reading only"); }

class UnchangedFile final : public WritableFile {
 public:
  UnchangedFile(std::string path, std::uint64_t size) : path_(std::move(path)), size_(size) {}

  Status append(Bytes) override { return refused(path_); }
  Status sync() override { return {}; }
  Status truncate(std::uint64_t) override { return refused(path_); }
  std::uint64_t size() const override { return size_; }

 private:
  const std::string path_;
  const std::uint64_t size_;
};

class NoLock final : public DirectoryLock {};

class ReadOnlyFileSystem final : public ReadOnlyFiles {
 public:
  Result<std::unique_ptr<ReadableFile>> openRead(const std::string& path) override {
    return below_.openRead(path);
  }
  Result<ByteBuffer> readAll(const std::string& path) override { return below_.readAll(path); }
  Result<bool> exists(const std::string& path) override { return below_.exists(path); }
  Result<std::vector<std::string>> list(const std::string& directory) override {
    return below_.list(directory);
  }
  Result<std::unique_ptr<DirectoryLock>> lock(const std::string& path) override {
    const auto found = below_.exists(path);
    if (!found.ok()) return found.status();
    if (found.value()) return posix::shareFile(path);
    return noLock();
  }
  Result<std::uint64_t> freeBytes(const std::string& path) override {
    return below_.freeBytes(path);
  }

 private:
  FileSystem& below_ = posixFileSystem();
};

}  // namespace

Result<std::unique_ptr<WritableFile>> ReadOnlyFiles::create(const std::string& path) {
  return refused(path);
}
Result<std::unique_ptr<WritableFile>> ReadOnlyFiles::openAppend(const std::string& path) {
  const auto file = openRead(path);
  if (!file.ok()) return file.status();
  return std::unique_ptr<WritableFile>(std::make_unique<UnchangedFile>(path, file.value()->size()));
}
Status ReadOnlyFiles::makeDirectory(const std::string& path) {
  const auto found = exists(path);
  if (!found.ok()) return found.status();
  return found.value() ? Status{} : Status::io(path + " does not exist");
}
Status ReadOnlyFiles::rename(const std::string& from, const std::string&) { return refused(from); }
Status ReadOnlyFiles::link(const std::string& from, const std::string&) { return refused(from); }
Status ReadOnlyFiles::remove(const std::string& path) { return refused(path); }
Status ReadOnlyFiles::syncDirectory(const std::string&) { return {}; }
Status ReadOnlyFiles::preallocate(const std::string& path, std::uint64_t) { return refused(path); }
std::unique_ptr<DirectoryLock> ReadOnlyFiles::noLock() { return std::make_unique<NoLock>(); }

FileSystem& readOnlyFileSystem() {
  static ReadOnlyFileSystem fileSystem;
  return fileSystem;
}

}  // namespace seriesdb
