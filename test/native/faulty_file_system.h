// A file system for tests: passes everything on to another one, and fails when it is told to.
//
//   FaultyFileSystem fs(posixFileSystem());
//   fs.failAt(Operation::kSync, 3);       // The third sync from now on fails, once.
//   fs.shortenAppendAt(1, 10);            // The next append writes 10 bytes, then fails.
//   fs.setSpace(4096);                    // Appends fail with kStorageUnavailable past 4096 bytes.
//   fs.losePower();                       // Every file is cut to what was synced.
//
// Safe to use from several threads. The files it hands out must not outlive it.
#pragma once

#include <algorithm>
#include <array>
#include <map>
#include <mutex>
#include <optional>

#include "file/file_system.h"

namespace seriesdb::test {

enum class Operation : std::uint8_t {
  kCreate,
  kOpenAppend,
  kAppend,
  kSync,
  kTruncate,
  kRename,
  kLink,
  kRemove,
  kSyncDirectory,
  kOpenRead,
};
inline constexpr std::size_t kOperationCount = 10;

class FaultyFileSystem : public FileSystem {
 public:
  explicit FaultyFileSystem(FileSystem& below) : below_(below) {}

  // The `nth` operation of that kind from now on (1 is the next) fails without being done.
  void failAt(Operation operation, std::uint64_t nth, StatusCode code = StatusCode::kIo) {
    const std::lock_guard guard(mutex_);
    plan(operation) = {nth, false, code, std::nullopt};
  }
  // Like failAt, and so does every later one, until heal().
  void failFrom(Operation operation, std::uint64_t nth, StatusCode code = StatusCode::kIo) {
    const std::lock_guard guard(mutex_);
    plan(operation) = {nth, true, code, std::nullopt};
  }
  // The `nth` append from now on writes only its first `kept` bytes, then fails.
  void shortenAppendAt(std::uint64_t nth, std::size_t kept, StatusCode code = StatusCode::kIo) {
    const std::lock_guard guard(mutex_);
    plan(Operation::kAppend) = {nth, false, code, kept};
  }
  // Room for `bytes` more. An append past it writes what fits and says that storage is full.
  void setSpace(std::uint64_t bytes) {
    const std::lock_guard guard(mutex_);
    space_ = bytes;
  }
  // No more faults, room without end.
  void heal() {
    const std::lock_guard guard(mutex_);
    plans_ = {};
    space_.reset();
  }
  // How many operations of that kind were asked for, failed ones included.
  std::uint64_t count(Operation operation) {
    const std::lock_guard guard(mutex_);
    return counts_[static_cast<std::size_t>(operation)];
  }
  // Cuts every file written through this object to its last synced size. Names are kept: what an
  // unsynced directory forgets is not simulated. Call it when the writers are gone.
  void losePower() {
    const std::lock_guard guard(mutex_);
    for (const auto& [path, size] : syncedSizes_) {
      const auto found = below_.exists(path);
      if (!found.ok() || !found.value()) continue;
      auto file = below_.openAppend(path);
      if (file.ok() && file.value()->size() > size) {
        static_cast<void>(file.value()->truncate(size).ok());
      }
    }
  }

  Result<std::unique_ptr<WritableFile>> create(const std::string& path) override {
    Status fault = next(Operation::kCreate);
    if (!fault.ok()) return fault;
    return wrap(below_.create(path), path);
  }
  Result<std::unique_ptr<WritableFile>> openAppend(const std::string& path) override {
    Status fault = next(Operation::kOpenAppend);
    if (!fault.ok()) return fault;
    return wrap(below_.openAppend(path), path);
  }
  Result<std::unique_ptr<ReadableFile>> openRead(const std::string& path) override {
    Status fault = next(Operation::kOpenRead);
    if (!fault.ok()) return fault;
    return below_.openRead(path);
  }
  Result<ByteBuffer> readAll(const std::string& path) override { return below_.readAll(path); }
  Result<bool> exists(const std::string& path) override { return below_.exists(path); }
  Result<std::vector<std::string>> list(const std::string& directory) override {
    return below_.list(directory);
  }
  Status makeDirectory(const std::string& path) override { return below_.makeDirectory(path); }
  Status rename(const std::string& from, const std::string& to) override {
    Status fault = next(Operation::kRename);
    if (!fault.ok()) return fault;
    Status renamed = below_.rename(from, to);
    const std::lock_guard guard(mutex_);
    auto node = syncedSizes_.extract(from);
    if (renamed.ok() && !node.empty()) syncedSizes_[to] = node.mapped();
    return renamed;
  }
  Status link(const std::string& from, const std::string& to) override {
    Status fault = next(Operation::kLink);
    if (!fault.ok()) return fault;
    Status linked = below_.link(from, to);
    const std::lock_guard guard(mutex_);
    const auto synced = syncedSizes_.find(from);
    if (linked.ok() && synced != syncedSizes_.end()) syncedSizes_[to] = synced->second;
    return linked;
  }
  Status remove(const std::string& path) override {
    Status fault = next(Operation::kRemove);
    if (!fault.ok()) return fault;
    const std::lock_guard guard(mutex_);
    syncedSizes_.erase(path);
    const auto room = preallocated_.extract(path);
    if (space_.has_value() && !room.empty()) *space_ += room.mapped();
    return below_.remove(path);
  }
  Status syncDirectory(const std::string& path) override {
    Status fault = next(Operation::kSyncDirectory);
    return fault.ok() ? below_.syncDirectory(path) : fault;
  }
  Result<std::unique_ptr<DirectoryLock>> lock(const std::string& path) override {
    return below_.lock(path);
  }
  Status preallocate(const std::string& path, std::uint64_t size) override {
    const std::lock_guard guard(mutex_);
    if (space_.has_value() && *space_ < size) return {StatusCode::kStorageUnavailable, "full"};
    Status made = below_.preallocate(path, size);
    if (!made.ok()) return made;
    if (space_.has_value()) *space_ -= size;
    preallocated_[path] = size;
    return made;
  }
  Result<std::uint64_t> freeBytes(const std::string& path) override {
    const std::lock_guard guard(mutex_);
    if (space_.has_value()) return *space_;
    return below_.freeBytes(path);
  }

 private:
  struct Plan {
    std::uint64_t nth = 0;  // 0: no fault.
    bool isLasting = false;
    StatusCode code = StatusCode::kIo;
    std::optional<std::size_t> kept;
  };
  // What an append may do: how many bytes, and how it ends.
  struct Allowance {
    std::size_t size;
    Status status;
  };

  class File final : public WritableFile {
   public:
    File(FaultyFileSystem& owner, std::unique_ptr<WritableFile> below, std::string path)
        : owner_(owner), below_(std::move(below)), path_(std::move(path)), size_(below_->size()) {}

    Status append(Bytes bytes) override {
      const Allowance allowance = owner_.allow(bytes.size());
      Status written = below_->append(bytes.first(allowance.size));
      if (!written.ok()) return written;
      if (!allowance.status.ok()) return allowance.status;
      size_ += bytes.size();
      return {};
    }
    Status sync() override {
      Status fault = owner_.next(Operation::kSync);
      if (!fault.ok()) return fault;
      Status synced = below_->sync();
      if (synced.ok()) owner_.recordSynced(path_, below_->size());
      return synced;
    }
    Status truncate(std::uint64_t size) override {
      Status fault = owner_.next(Operation::kTruncate);
      if (!fault.ok()) return fault;
      Status cut = below_->truncate(size);
      if (!cut.ok()) return cut;
      size_ = size;
      return {};
    }
    std::uint64_t size() const override { return size_; }

   private:
    FaultyFileSystem& owner_;
    std::unique_ptr<WritableFile> below_;
    std::string path_;
    std::uint64_t size_;
  };

  Plan& plan(Operation operation) { return plans_[static_cast<std::size_t>(operation)]; }

  // Counts the operation and says whether its turn to fail has come.
  Plan take(Operation operation) {
    counts_[static_cast<std::size_t>(operation)] += 1;
    Plan& planned = plan(operation);
    if (planned.nth == 0) return {};
    if (planned.nth > 1) {
      planned.nth -= 1;
      return {};
    }
    const Plan due = planned;
    if (!planned.isLasting) planned = {};
    return due;
  }
  Status next(Operation operation) {
    const std::lock_guard guard(mutex_);
    const Plan due = take(operation);
    return due.nth == 0 ? Status{} : Status(due.code, "injected fault");
  }
  Allowance allow(std::size_t size) {
    const std::lock_guard guard(mutex_);
    const Plan due = take(Operation::kAppend);
    Allowance allowance{size, {}};
    if (due.nth != 0) {
      allowance = {std::min(size, due.kept.value_or(0)), Status(due.code, "injected fault")};
    }
    if (!space_.has_value()) return allowance;
    if (allowance.size > *space_) {
      allowance = {static_cast<std::size_t>(*space_),
                   Status(StatusCode::kStorageUnavailable, "injected: no space left")};
    }
    *space_ -= allowance.size;
    return allowance;
  }
  void recordSynced(const std::string& path, std::uint64_t size) {
    const std::lock_guard guard(mutex_);
    syncedSizes_[path] = size;
  }
  // A file that was there before counts as synced; a new one has nothing synced.
  Result<std::unique_ptr<WritableFile>> wrap(Result<std::unique_ptr<WritableFile>> opened,
                                             const std::string& path) {
    if (!opened.ok()) return opened;
    const std::lock_guard guard(mutex_);
    syncedSizes_.emplace(path, opened.value()->size());
    return std::unique_ptr<WritableFile>(
        std::make_unique<File>(*this, std::move(opened).value(), path));
  }

  FileSystem& below_;
  std::mutex mutex_;
  std::array<Plan, kOperationCount> plans_{};
  std::array<std::uint64_t, kOperationCount> counts_{};
  std::optional<std::uint64_t> space_;
  std::map<std::string, std::uint64_t> preallocated_;
  std::map<std::string, std::uint64_t> syncedSizes_;
};

}  // namespace seriesdb::test
