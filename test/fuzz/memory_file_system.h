// A file system in memory, so that file access needs no system calls. Like the real one it serves
// any number of threads, and open files outlive their names.
#pragma once

#include <algorithm>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>

#include "common/base/check.h"
#include "common/file/file_system.h"

namespace seriesdb::fuzz {

// File content by path.
using Files = std::map<std::string, ByteBuffer>;

class MemoryFileSystem final : public FileSystem {
 public:
  MemoryFileSystem() = default;
  explicit MemoryFileSystem(const Files& files) {
    for (const auto& [path, bytes] : files) put(path, bytes);
  }

  // True if files opened from now on are mapped, not read piece by piece.
  bool isMapping = true;

  void put(const std::string& path, Bytes bytes) {
    auto content = std::make_shared<Content>();
    content->bytes = std::make_shared<ByteBuffer>(bytes.begin(), bytes.end());
    const std::lock_guard lock(mutex_);
    files_[path] = std::move(content);
  }
  // REQUIRES: the file exists.
  ByteBuffer at(const std::string& path) {
    auto bytes = readAll(path);
    CHECK(bytes.ok());
    return std::move(bytes.value());
  }
  Files all() {
    const std::lock_guard lock(mutex_);
    Files all;
    for (const auto& [path, content] : files_) all.emplace(path, *content->now());
    return all;
  }

  Result<std::unique_ptr<WritableFile>> create(const std::string& path) override {
    auto content = std::make_shared<Content>();
    const std::lock_guard lock(mutex_);
    if (!files_.try_emplace(path, content).second) return Status::io(path + " exists");
    return std::unique_ptr<WritableFile>(std::make_unique<File>(std::move(content)));
  }
  Result<std::unique_ptr<WritableFile>> openAppend(const std::string& path) override {
    auto content = find(path);
    if (content == nullptr) return missing(path);
    return std::unique_ptr<WritableFile>(std::make_unique<File>(std::move(content)));
  }
  Result<std::unique_ptr<ReadableFile>> openRead(const std::string& path) override {
    const auto content = find(path);
    if (content == nullptr) return missing(path);
    return std::unique_ptr<ReadableFile>(std::make_unique<Opened>(content->now(), isMapping));
  }
  Result<ByteBuffer> readAll(const std::string& path) override {
    const auto content = find(path);
    if (content == nullptr) return missing(path);
    return ByteBuffer(*content->now());
  }
  Result<bool> exists(const std::string& path) override {
    if (find(path) != nullptr) return true;
    // A folder exists if it contains a file.
    const std::lock_guard lock(mutex_);
    const auto first = files_.lower_bound(path + "/");
    return first != files_.end() && first->first.starts_with(path + "/");
  }
  Result<std::vector<std::string>> list(const std::string& directory) override {
    std::vector<std::string> names;
    const std::string prefix = directory + "/";
    const std::lock_guard lock(mutex_);
    for (const auto& [path, content] : files_) {
      if (!path.starts_with(prefix)) continue;
      const std::string rest = path.substr(prefix.size());
      const std::string name = rest.substr(0, rest.find('/'));
      if (names.empty() || names.back() != name) names.push_back(name);
    }
    return names;
  }
  Status makeDirectory(const std::string&) override { return {}; }
  Status rename(const std::string& from, const std::string& to) override {
    const std::lock_guard lock(mutex_);
    auto file = files_.extract(from);
    if (file.empty()) return missing(from);
    files_[to] = std::move(file.mapped());
    return {};
  }
  Status link(const std::string& from, const std::string& to) override {
    const std::lock_guard lock(mutex_);
    const auto file = files_.find(from);
    if (file == files_.end()) return missing(from);
    files_[to] = file->second;
    return {};
  }
  Status remove(const std::string& path) override {
    const std::lock_guard lock(mutex_);
    return files_.erase(path) == 1 ? Status() : missing(path);
  }
  Status syncDirectory(const std::string&) override { return {}; }
  Result<std::unique_ptr<DirectoryLock>> lock(const std::string&) override {
    return std::make_unique<DirectoryLock>();
  }
  Status preallocate(const std::string&, std::uint64_t) override { return {}; }
  Result<std::uint64_t> freeBytes(const std::string&) override { return std::uint64_t{1} << 40; }

 private:
  // Shared content never changes: a writer copies it first.
  struct Content {
    std::mutex mutex;
    std::shared_ptr<ByteBuffer> bytes = std::make_shared<ByteBuffer>();

    std::shared_ptr<const ByteBuffer> now() {
      const std::lock_guard lock(mutex);
      return bytes;
    }
    template <class Change>
    void change(const Change& apply) {
      const std::lock_guard lock(mutex);
      if (bytes.use_count() > 1) bytes = std::make_shared<ByteBuffer>(*bytes);
      apply(*bytes);
    }
  };
  class File final : public WritableFile {
   public:
    explicit File(std::shared_ptr<Content> content) : content_(std::move(content)) {}
    Status append(Bytes bytes) override {
      content_->change([bytes](ByteBuffer& all) { appendBytes(all, bytes); });
      return {};
    }
    Status sync() override { return {}; }
    Status truncate(std::uint64_t size) override {
      content_->change([size](ByteBuffer& all) { all.resize(static_cast<std::size_t>(size)); });
      return {};
    }
    std::uint64_t size() const override { return content_->now()->size(); }

   private:
    std::shared_ptr<Content> content_;
  };
  class Opened final : public ReadableFile {
   public:
    Opened(std::shared_ptr<const ByteBuffer> bytes, bool isMapped)
        : bytes_(std::move(bytes)), isMapped_(isMapped) {}
    std::uint64_t size() const override { return bytes_->size(); }
    Bytes mapped() const override { return isMapped_ ? Bytes(*bytes_) : Bytes(); }
    bool isMappingLost() const override { return false; }
    Status read(std::uint64_t offset, std::span<std::uint8_t> to) const override {
      if (offset > bytes_->size() || to.size() > bytes_->size() - offset) {
        return Status::corrupt("the file ends before");
      }
      const Bytes part = Bytes(*bytes_).subspan(static_cast<std::size_t>(offset), to.size());
      std::copy(part.begin(), part.end(), to.begin());
      return {};
    }

   private:
    std::shared_ptr<const ByteBuffer> bytes_;
    bool isMapped_;
  };

  static Status missing(const std::string& path) { return Status::io(path + " is not there"); }
  std::shared_ptr<Content> find(const std::string& path) {
    const std::lock_guard lock(mutex_);
    const auto file = files_.find(path);
    return file == files_.end() ? nullptr : file->second;
  }

  std::mutex mutex_;
  std::map<std::string, std::shared_ptr<Content>> files_;
};

}  // namespace seriesdb::fuzz
