// A file system in memory, so that reading and writing a file costs no call of the kernel. Its
// files outlive what is opened on them. For one thread at a time.
#pragma once

#include <algorithm>
#include <map>
#include <memory>
#include <string>
#include <utility>

#include "base/file_system.h"

namespace seriesdb::fuzz {

class MemoryFileSystem final : public FileSystem {
 public:
  std::map<std::string, ByteBuffer> files;
  // Whether files that are opened from now on are mapped, or read piece by piece.
  bool isMapping = true;

  Result<std::unique_ptr<WritableFile>> create(const std::string& path) override {
    const auto [file, isNew] = files.try_emplace(path);
    if (!isNew) return Status::io(path + " exists");
    return open(file->second);
  }
  Result<std::unique_ptr<WritableFile>> openAppend(const std::string& path) override {
    const auto file = files.find(path);
    if (file == files.end()) return missing(path);
    return open(file->second);
  }
  Result<std::unique_ptr<ReadableFile>> openRead(const std::string& path) override {
    const auto file = files.find(path);
    if (file == files.end()) return missing(path);
    return std::unique_ptr<ReadableFile>(std::make_unique<Opened>(file->second, isMapping));
  }
  Result<ByteBuffer> readAll(const std::string& path) override {
    const auto file = files.find(path);
    if (file == files.end()) return missing(path);
    return file->second;
  }
  Result<bool> exists(const std::string& path) override { return files.contains(path); }
  Result<std::vector<std::string>> list(const std::string& directory) override {
    std::vector<std::string> names;
    const std::string prefix = directory + "/";
    for (const auto& [path, bytes] : files) {
      if (path.starts_with(prefix)) names.push_back(path.substr(prefix.size()));
    }
    return names;
  }
  Status makeDirectory(const std::string&) override { return {}; }
  Status rename(const std::string& from, const std::string& to) override {
    auto file = files.extract(from);
    if (file.empty()) return missing(from);
    files[to] = std::move(file.mapped());
    return {};
  }
  Status remove(const std::string& path) override {
    return files.erase(path) == 1 ? Status() : missing(path);
  }
  Status syncDirectory(const std::string&) override { return {}; }
  Result<std::unique_ptr<DirectoryLock>> lock(const std::string&) override {
    return std::make_unique<DirectoryLock>();
  }
  Status preallocate(const std::string&, std::uint64_t) override { return {}; }
  Result<std::uint64_t> freeBytes(const std::string&) override { return std::uint64_t{1} << 40; }

 private:
  class File final : public WritableFile {
   public:
    explicit File(ByteBuffer& bytes) : bytes_(bytes) {}
    Status append(Bytes bytes) override {
      appendBytes(bytes_, bytes);
      return {};
    }
    Status sync() override { return {}; }
    Status truncate(std::uint64_t size) override {
      bytes_.resize(static_cast<std::size_t>(size));
      return {};
    }
    std::uint64_t size() const override { return bytes_.size(); }

   private:
    ByteBuffer& bytes_;
  };
  class Opened final : public ReadableFile {
   public:
    Opened(Bytes bytes, bool isMapped) : bytes_(bytes), isMapped_(isMapped) {}
    std::uint64_t size() const override { return bytes_.size(); }
    Bytes mapped() const override { return isMapped_ ? bytes_ : Bytes(); }
    bool isMappingLost() const override { return false; }
    Status read(std::uint64_t offset, std::span<std::uint8_t> to) const override {
      if (offset > bytes_.size() || to.size() > bytes_.size() - offset) {
        return Status::corrupt("the file ends before");
      }
      const Bytes part = bytes_.subspan(static_cast<std::size_t>(offset), to.size());
      std::copy(part.begin(), part.end(), to.begin());
      return {};
    }

   private:
    Bytes bytes_;
    bool isMapped_;
  };

  static Status missing(const std::string& path) { return Status::io(path + " is not there"); }
  static Result<std::unique_ptr<WritableFile>> open(ByteBuffer& bytes) {
    return std::unique_ptr<WritableFile>(std::make_unique<File>(bytes));
  }
};

}  // namespace seriesdb::fuzz
