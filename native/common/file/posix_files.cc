#include "common/file/posix_files.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>

#include <optional>

#include "common/file/guarded_mapping.h"

namespace seriesdb::posix {
namespace {

// Writes at its own offset instead of with O_APPEND, so that an append overwrites the leftover of a
// failed one. Without a descriptor, the file is on a read-only mount, and the first change opens
// it.
class PosixWritableFile final : public WritableFile {
 public:
  PosixWritableFile(std::optional<Descriptor> descriptor, std::string path, std::uint64_t size)
      : descriptor_(std::move(descriptor)), path_(std::move(path)), size_(size) {}

  Status append(Bytes bytes) override {
    if (Status opened = open(); !opened.ok()) return opened;
    std::uint64_t at = size_;
    for (Bytes rest = bytes; !rest.empty();) {
      const ssize_t written = retry([&] {
        return ::pwrite(descriptor_->number(), rest.data(), rest.size(), static_cast<off_t>(at));
      });
      if (written < 0) return failure("append to", path_, errno);
      // POSIX allows zero for no progress; without this check a full device could cause an endless
      // loop.
      if (written == 0) return failure("append to", path_, ENOSPC);
      at += static_cast<std::uint64_t>(written);
      rest = rest.subspan(static_cast<std::size_t>(written));
    }
    size_ = at;
    return {};
  }

  // Always kIo: a failed sync is final, and kStorageUnavailable would invite a retry.
  Status sync() override {
    if (!descriptor_) return {};
    if (retry([&] { return ::fdatasync(descriptor_->number()); }) == 0) return {};
    return Status::io(failure("sync", path_, errno).message());
  }

  Status truncate(std::uint64_t size) override {
    if (Status opened = open(); !opened.ok()) return opened;
    const int result =
        retry([&] { return ::ftruncate(descriptor_->number(), static_cast<off_t>(size)); });
    if (result < 0) return failure("truncate", path_, errno);
    size_ = size;
    return {};
  }

  std::uint64_t size() const override { return size_; }

 private:
  Status open() {
    if (descriptor_) return {};
    auto opened = posix::open(path_, O_WRONLY);
    if (!opened.ok()) return opened.status();
    descriptor_.emplace(std::move(opened).value());
    return {};
  }

  std::optional<Descriptor> descriptor_;
  std::string path_;
  std::uint64_t size_;
};

// Opens a descriptor for each read, because one per file would exhaust the process's limit. Only
// unmapped files are read here.
class PosixReadableFile final : public ReadableFile {
 public:
  PosixReadableFile(std::string path, std::uint64_t size, std::unique_ptr<GuardedMapping> mapping)
      : path_(std::move(path)), size_(size), mapping_(std::move(mapping)) {}

  std::uint64_t size() const override { return size_; }
  Bytes mapped() const override { return mapping_ ? mapping_->bytes() : Bytes{}; }
  bool isMappingLost() const override { return mapping_ && mapping_->isLost(); }

  Status read(std::uint64_t offset, std::span<std::uint8_t> to) const override {
    constexpr int kFlags = O_RDONLY | O_CLOEXEC;
    const Descriptor descriptor(retry([&] { return ::open(path_.c_str(), kFlags); }));
    if (descriptor.number() < 0) return failedRead("the file cannot be opened", errno);
    for (std::uint64_t at = offset; !to.empty();) {
      const ssize_t got = retry([&] {
        return ::pread(descriptor.number(), to.data(), to.size(), static_cast<off_t>(at));
      });
      if (got < 0) return failedRead("the file cannot be read", errno);
      if (got == 0) return Status::corrupt("the file ends at offset " + std::to_string(at));
      at += static_cast<std::uint64_t>(got);
      to = to.subspan(static_cast<std::size_t>(got));
    }
    return {};
  }

 private:
  static Status failedRead(const char* what, int error) {
    return {codeOf(error), std::string(what) + ": " + reasonOf(error)};
  }

  const std::string path_;
  const std::uint64_t size_;
  const std::unique_ptr<GuardedMapping> mapping_;  // Null if the file is not mapped.
};

class PosixDirectoryLock final : public DirectoryLock {
 public:
  explicit PosixDirectoryLock(Descriptor descriptor) : descriptor_(std::move(descriptor)) {}

 private:
  Descriptor descriptor_;  // Closing it releases the lock.
};

Status lockedStatus(const Descriptor& descriptor, const std::string& path) {
  auto content = readToEnd(descriptor, path);
  std::string holder;
  if (content.ok()) holder = asText(content.value());
  while (!holder.empty() && holder.back() == '\n') holder.pop_back();
  if (holder.empty()) holder = "unknown";
  return {StatusCode::kLocked, path + " is held by process " + holder};
}

Status flockFile(const Descriptor& descriptor, const std::string& path, int kind) {
  const int number = descriptor.number();
  if (retry([&] { return ::flock(number, kind | LOCK_NB); }) == 0) return {};
  if (errno == EWOULDBLOCK) return lockedStatus(descriptor, path);
  return failure("lock", path, errno);
}

// Stores our process id for the error message of the next process. The lock holds without it, so
// failures are ignored: a full disk must not prevent opening a database. The size is cut last, so
// that a file with a block needs no new one.
void writeProcessId(const Descriptor& descriptor) {
  const std::string text = std::to_string(::getpid()) + "\n";
  const ssize_t written =
      retry([&] { return ::pwrite(descriptor.number(), text.data(), text.size(), 0); });
  const off_t size = written < 0 ? 0 : static_cast<off_t>(written);
  [[maybe_unused]] const int cut = retry([&] { return ::ftruncate(descriptor.number(), size); });
}

// REQUIRES: the open was for writing. Opening an existing file needs no space, so
// kStorageUnavailable means a read-only mount.
bool isMountReadOnly(const Result<Descriptor>& opened) {
  return opened.status().code() == StatusCode::kStorageUnavailable;
}

// A lock needs no write, and survives a remount of a read-only mount.
Result<Descriptor> openLock(const std::string& path) {
  auto descriptor = open(path, O_RDWR | O_CREAT);
  if (!isMountReadOnly(descriptor)) return descriptor;
  auto unwritten = open(path, O_RDONLY);
  return unwritten.ok() ? std::move(unwritten) : std::move(descriptor);
}

}  // namespace

std::unique_ptr<WritableFile> makeWritableFile(std::optional<Descriptor> descriptor,
                                               const std::string& path, std::uint64_t size) {
  return std::make_unique<PosixWritableFile>(std::move(descriptor), path, size);
}

Result<std::uint64_t> regularFileSize(const Descriptor& descriptor, const std::string& path) {
  struct stat facts {};
  if (::fstat(descriptor.number(), &facts) < 0) return failure("stat", path, errno);
  if (!S_ISREG(facts.st_mode)) return Status::io("not a regular file: " + path);
  return static_cast<std::uint64_t>(facts.st_size);
}

Result<std::unique_ptr<ReadableFile>> openReadable(const std::string& path) {
  auto descriptor = open(path, O_RDONLY);
  if (!descriptor.ok()) return descriptor.status();
  const auto size = regularFileSize(descriptor.value(), path);
  if (!size.ok()) return size.status();
  std::unique_ptr<GuardedMapping> mapping;
  if (size.value() > 0) mapping = GuardedMapping::make(descriptor.value().number(), size.value());
  return std::unique_ptr<ReadableFile>(
      std::make_unique<PosixReadableFile>(path, size.value(), std::move(mapping)));
}

Result<ByteBuffer> readToEnd(const Descriptor& descriptor, const std::string& path) {
  constexpr std::size_t kStepMin = 4096;
  struct stat facts {};
  if (::fstat(descriptor.number(), &facts) < 0) return failure("stat", path, errno);
  ByteBuffer content(static_cast<std::size_t>(facts.st_size) + 1);
  std::size_t filled = 0;
  for (;;) {
    // The file may grow during the read, so only an empty read marks the end.
    if (filled == content.size()) content.resize(filled + filled / 2 + kStepMin);
    const ssize_t got = retry([&] {
      return ::read(descriptor.number(), content.data() + filled, content.size() - filled);
    });
    if (got < 0) return failure("read", path, errno);
    if (got == 0) break;
    filled += static_cast<std::size_t>(got);
  }
  content.resize(filled);
  return content;
}

Result<std::unique_ptr<WritableFile>> openWritable(const std::string& path) {
  auto descriptor = open(path, O_WRONLY);
  if (isMountReadOnly(descriptor)) {
    const auto facts = open(path, O_RDONLY);
    if (!facts.ok()) return facts.status();
    const auto size = regularFileSize(facts.value(), path);
    if (!size.ok()) return size.status();
    return makeWritableFile(std::nullopt, path, size.value());
  }
  if (!descriptor.ok()) return descriptor.status();
  const auto size = regularFileSize(descriptor.value(), path);
  if (!size.ok()) return size.status();
  return makeWritableFile(std::move(descriptor).value(), path, size.value());
}

Result<std::unique_ptr<DirectoryLock>> lockFile(const std::string& path) {
  auto descriptor = openLock(path);
  if (!descriptor.ok()) return descriptor.status();
  Status locked = flockFile(descriptor.value(), path, LOCK_EX);
  if (!locked.ok()) return locked;
  writeProcessId(descriptor.value());
  return std::unique_ptr<DirectoryLock>(
      std::make_unique<PosixDirectoryLock>(std::move(descriptor).value()));
}

Result<std::unique_ptr<DirectoryLock>> shareFile(const std::string& path) {
  auto descriptor = open(path, O_RDONLY);
  if (!descriptor.ok()) return descriptor.status();
  Status locked = flockFile(descriptor.value(), path, LOCK_SH);
  if (!locked.ok()) return locked;
  return std::unique_ptr<DirectoryLock>(
      std::make_unique<PosixDirectoryLock>(std::move(descriptor).value()));
}

}  // namespace seriesdb::posix
