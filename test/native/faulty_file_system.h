// A file system for tests: forwards every call to another one, and fails on request.
//
//   FaultyFileSystem fs(posixFileSystem());
//   fs.failAt(Operation::kSync, 3);       // The third sync from now on fails, once.
//   fs.shortenAppendAt(1, 10);            // The next append writes 10 bytes, then fails.
//   fs.setSpace(4096);                    // Appends fail with kStorageUnavailable past 4096 bytes.
//   fs.losePower();                       // Every file is cut to what was synced.
//
// A power cut as a machine has it, which a test begins with simulatePower():
//
//   fs.cutPowerAt(7);                     // The 7th change of the disk fails, and all after it.
//   fs.losePower(PowerLoss::kAll);        // Bytes and names that were not synced are lost.
//
// Safe to use from several threads. The files it hands out must not outlive it.
#pragma once

#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <map>
#include <mutex>
#include <optional>
#include <random>
#include <set>

#include "common/file/file_system.h"
#include "unsynced_names.h"

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

// The data that a power loss takes.
enum class PowerLoss : std::uint8_t {
  kBytes,  // All unsynced bytes, and no name.
  kAll,    // Also all names that were not synced with their directory.
  kSome,  // Some of the latest bytes of each file and latest names of each directory. Whole sectors
          // of lost bytes may read as zeros.
};

class FaultyFileSystem : public FileSystem {
 public:
  explicit FaultyFileSystem(FileSystem& below) : below_(below) {}

  // The `nth` operation of that kind from now on (1 is the next) fails and does nothing.
  void failAt(Operation operation, std::uint64_t nth, StatusCode code = StatusCode::kIo) {
    const std::lock_guard guard(mutex_);
    plan(operation) = {nth, false, code, std::nullopt};
  }
  // Like failAt, but every later operation of that kind fails too, until heal().
  void failFrom(Operation operation, std::uint64_t nth, StatusCode code = StatusCode::kIo) {
    const std::lock_guard guard(mutex_);
    plan(operation) = {nth, true, code, std::nullopt};
  }
  // The `nth` append from now on writes only its first `kept` bytes, then fails.
  void shortenAppendAt(std::uint64_t nth, std::size_t kept, StatusCode code = StatusCode::kIo) {
    const std::lock_guard guard(mutex_);
    plan(Operation::kAppend) = {nth, false, code, kept};
  }
  // Leaves room for `bytes` more. A larger append writes what fits and reports full storage.
  void setSpace(std::uint64_t bytes) {
    const std::lock_guard guard(mutex_);
    space_ = bytes;
  }
  // Removes all faults and limits.
  void heal() {
    const std::lock_guard guard(mutex_);
    plans_ = {};
    space_.reset();
    cutAt_ = 0;
  }
  // From now on, unsynced names are tracked and syncs only recorded. Bytes need not reach the disk
  // to survive losePower(). `trash` is as in UnsyncedNames.
  void simulatePower(std::string trash) {
    const std::lock_guard guard(mutex_);
    names_.emplace(std::move(trash));
  }
  // The `nth` change of the disk from now on, of any kind, fails, and so do all later ones. A
  // failing append writes half its bytes.
  void cutPowerAt(std::uint64_t nth) {
    const std::lock_guard guard(mutex_);
    cutAt_ = changes_ + nth;
  }
  bool isPowerCut() {
    const std::lock_guard guard(mutex_);
    return isCut();
  }
  // The number of requested changes of the disk.
  std::uint64_t changes() {
    const std::lock_guard guard(mutex_);
    return changes_;
  }
  // The number of requested operations of that kind, including failed ones.
  std::uint64_t count(Operation operation) {
    const std::lock_guard guard(mutex_);
    return counts_[static_cast<std::size_t>(operation)];
  }
  // Puts the disk into its state after a power loss. Names are lost only after simulatePower();
  // call it when the writers are gone.
  void losePower(PowerLoss loss = PowerLoss::kBytes, std::uint64_t seed = 0) {
    const std::lock_guard guard(mutex_);
    std::mt19937_64 random(seed);
    const bool isSome = loss == PowerLoss::kSome;
    if (names_ && loss != PowerLoss::kBytes) {
      names_->undo([&](std::size_t count) { return isSome ? random() % (count + 1) : 0; });
    }
    for (const std::string& path : written_) {
      const auto synced = syncedSizes_.find(fileAt(path));
      if (synced == syncedSizes_.end()) continue;
      const std::uint64_t size = std::filesystem::file_size(path);
      if (size <= synced->second) continue;
      const std::uint64_t lost = size - synced->second;
      std::uint64_t left = synced->second + (isSome ? random() % (lost + 1) : 0);
      const bool isZeroed = isSome && random() % 2 == 0;
      if (isZeroed) left = std::max(synced->second, left / kSectorSize * kSectorSize);
      std::filesystem::resize_file(path, left);
      if (isZeroed) std::filesystem::resize_file(path, size);
    }
  }

  Result<std::unique_ptr<WritableFile>> create(const std::string& path) override {
    Status fault = next(Operation::kCreate);
    if (!fault.ok()) return fault;
    const std::lock_guard guard(mutex_);
    auto made = below_.create(path);
    if (!made.ok()) return made;
    if (names_) names_->noteMade(path);
    syncedSizes_.erase(fileAt(path));
    return wrap(std::move(made).value(), path);
  }
  Result<std::unique_ptr<WritableFile>> openAppend(const std::string& path) override {
    Status fault = next(Operation::kOpenAppend);
    if (!fault.ok()) return fault;
    const std::lock_guard guard(mutex_);
    auto opened = below_.openAppend(path);
    if (!opened.ok()) return opened;
    return wrap(std::move(opened).value(), path);
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
  Status makeDirectory(const std::string& path) override {
    const std::lock_guard guard(mutex_);
    if (isCut()) return cutOff();
    // The call below would sync the directory.
    std::error_code error;
    if (names_) std::filesystem::create_directories(path, error);
    return error ? Status::io(path + ": " + error.message()) : below_.makeDirectory(path);
  }
  Status rename(const std::string& from, const std::string& to) override {
    Status fault = next(Operation::kRename);
    if (!fault.ok()) return fault;
    const std::lock_guard guard(mutex_);
    std::string kept = names_ ? names_->keep(to) : std::string();
    Status renamed = below_.rename(from, to);
    if (!renamed.ok()) return renamed;
    if (names_) names_->noteRenamed(from, to, std::move(kept));
    written_.insert(to);
    return renamed;
  }
  Status link(const std::string& from, const std::string& to) override {
    Status fault = next(Operation::kLink);
    if (!fault.ok()) return fault;
    const std::lock_guard guard(mutex_);
    Status linked = below_.link(from, to);
    if (!linked.ok()) return linked;
    if (names_) names_->noteMade(to);
    written_.insert(to);
    return linked;
  }
  Status remove(const std::string& path) override {
    Status fault = next(Operation::kRemove);
    if (!fault.ok()) return fault;
    const std::lock_guard guard(mutex_);
    const auto room = preallocated_.extract(path);
    if (space_.has_value() && !room.empty()) *space_ += room.mapped();
    std::string kept = names_ ? names_->keep(path) : std::string();
    Status removed = below_.remove(path);
    if (removed.ok() && names_) names_->noteRemoved(path, std::move(kept));
    return removed;
  }
  Status syncDirectory(const std::string& path) override {
    Status fault = next(Operation::kSyncDirectory);
    if (!fault.ok()) return fault;
    const std::lock_guard guard(mutex_);
    if (!names_) return below_.syncDirectory(path);
    names_->noteSynced(path);
    return {};
  }
  Result<std::unique_ptr<DirectoryLock>> lock(const std::string& path) override {
    return below_.lock(path);
  }
  Status preallocate(const std::string& path, std::uint64_t size) override {
    const std::lock_guard guard(mutex_);
    if (isCut()) return cutOff();
    if (space_.has_value() && *space_ < size) return {StatusCode::kStorageUnavailable, "full"};
    Status made = below_.preallocate(path, size);
    if (!made.ok()) return made;
    if (space_.has_value()) *space_ -= size;
    preallocated_[path] = size;
    if (names_) names_->noteMade(path);
    return made;
  }
  Result<std::uint64_t> freeBytes(const std::string& path) override {
    const std::lock_guard guard(mutex_);
    if (space_.has_value()) return *space_;
    return below_.freeBytes(path);
  }

 private:
  static constexpr std::uint64_t kSectorSize = 512;

  struct Plan {
    std::uint64_t nth = 0;  // 0: no fault.
    bool isLasting = false;
    StatusCode code = StatusCode::kIo;
    std::optional<std::size_t> kept;
  };
  // The number of bytes an append may write, and its result.
  struct Allowance {
    std::size_t size;
    Status status;
  };

  // Identifies a file independently of its names.
  using FileNumber = std::uint64_t;
  static FileNumber fileAt(const std::string& path) {
    struct stat found {};
    return ::stat(path.c_str(), &found) == 0 ? found.st_ino : 0;
  }

  class File final : public WritableFile {
   public:
    File(FaultyFileSystem& owner, std::unique_ptr<WritableFile> below, const std::string& path)
        : owner_(owner), below_(std::move(below)), file_(fileAt(path)), size_(below_->size()) {}

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
      return owner_.sync(*below_, file_);
    }
    Status truncate(std::uint64_t size) override {
      Status fault = owner_.next(Operation::kTruncate);
      if (!fault.ok()) return fault;
      Status cut = below_->truncate(size);
      if (!cut.ok()) return cut;
      size_ = size;
      owner_.noteCut(file_, size);
      return {};
    }
    std::uint64_t size() const override { return size_; }

   private:
    FaultyFileSystem& owner_;
    std::unique_ptr<WritableFile> below_;
    FileNumber file_;
    std::uint64_t size_;
  };

  Plan& plan(Operation operation) { return plans_[static_cast<std::size_t>(operation)]; }

  // Counts the operation and returns whether it must fail.
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
  bool isCut() const { return cutAt_ != 0 && changes_ >= cutAt_; }
  static Status cutOff() { return {StatusCode::kIo, "injected: power is cut"}; }
  static bool isChange(Operation operation) {
    return operation != Operation::kOpenRead && operation != Operation::kOpenAppend;
  }
  Status next(Operation operation) {
    const std::lock_guard guard(mutex_);
    const Plan due = take(operation);
    if (isChange(operation)) ++changes_;
    if (isCut() && operation != Operation::kOpenRead) return cutOff();
    return due.nth == 0 ? Status{} : Status(due.code, "injected fault");
  }
  Allowance allow(std::size_t size) {
    const std::lock_guard guard(mutex_);
    const Plan due = take(Operation::kAppend);
    const bool wasCut = isCut();
    ++changes_;
    if (isCut()) return {wasCut ? 0 : size / 2, cutOff()};
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
  Status sync(WritableFile& below, FileNumber file) {
    const std::uint64_t size = below.size();
    Status synced = isPowerSimulated() ? Status() : below.sync();
    const std::lock_guard guard(mutex_);
    if (synced.ok()) syncedSizes_[file] = size;
    return synced;
  }
  bool isPowerSimulated() {
    const std::lock_guard guard(mutex_);
    return names_.has_value();
  }
  void noteCut(FileNumber file, std::uint64_t size) {
    const std::lock_guard guard(mutex_);
    std::uint64_t& synced = syncedSizes_[file];
    synced = std::min(synced, size);
  }
  // An existing file counts as synced; a new one has no synced bytes.
  std::unique_ptr<WritableFile> wrap(std::unique_ptr<WritableFile> opened,
                                     const std::string& path) {
    written_.insert(path);
    syncedSizes_.emplace(fileAt(path), opened->size());
    return std::make_unique<File>(*this, std::move(opened), path);
  }

  FileSystem& below_;
  std::mutex mutex_;
  std::array<Plan, kOperationCount> plans_{};
  std::array<std::uint64_t, kOperationCount> counts_{};
  std::optional<std::uint64_t> space_;
  std::map<std::string, std::uint64_t> preallocated_;
  std::set<std::string> written_;  // All names that written files had.
  std::map<FileNumber, std::uint64_t> syncedSizes_;
  std::optional<UnsyncedNames> names_;
  std::uint64_t changes_ = 0;
  std::uint64_t cutAt_ = 0;  // 0: never.
};

}  // namespace seriesdb::test
