#include "format/log/wal_writer.h"

#include <utility>

#include "common/types/file_names.h"
#include "format/log/wal_reader.h"

namespace seriesdb {
namespace {

std::unique_ptr<AppendLog> logOf(FileSystem& fs, const std::string& directory,
                                 std::uint64_t number) {
  return std::make_unique<AppendLog>(
      fs, LogPlace{directory, file_names::walFile(number), LogKind::kWal, number});
}

Result<std::unique_ptr<AppendLog>> createFile(FileSystem& fs, const std::string& directory,
                                              std::uint64_t number, std::uint64_t sequence) {
  ByteBuffer begin;
  appendRecord(begin, kBeginMarkType, sequence, {});
  auto log = logOf(fs, directory, number);
  if (Status created = log->create(begin); !created.ok()) return created;
  return log;
}

// The sizes of the WAL files below a number, in bytes. A file that cannot be opened is left out.
std::map<std::uint64_t, std::uint64_t> sizesBelow(FileSystem& fs, const std::string& directory,
                                                  std::uint64_t end) {
  std::map<std::uint64_t, std::uint64_t> sizes;
  const auto names = fs.list(directory);
  if (!names.ok()) return sizes;
  for (const std::string& name : names.value()) {
    const auto number = file_names::walNumber(name);
    if (!number || *number >= end) continue;
    const auto file = fs.openRead(file_names::join(directory, name));
    if (file.ok()) sizes[*number] = file.value()->size();
  }
  return sizes;
}

}  // namespace

WalWriter::WalWriter(Key, FileSystem& fs, std::string directory, std::uint64_t number,
                     std::unique_ptr<AppendLog> log)
    : fs_(fs), directory_(std::move(directory)), number_(number), log_(std::move(log)) {
  settle();
}

Result<std::unique_ptr<WalWriter>> WalWriter::create(FileSystem& fs, std::string directory,
                                                     std::uint64_t number,
                                                     std::uint64_t& nextSequence) {
  auto file = createFile(fs, directory, number, nextSequence);
  if (!file.ok()) return file.status();
  ++nextSequence;
  return std::make_unique<WalWriter>(Key{}, fs, std::move(directory), number,
                                     std::move(file).value());
}

Result<std::unique_ptr<WalWriter>> WalWriter::resume(FileSystem& fs, std::string directory,
                                                     const WalEnd& end,
                                                     std::uint64_t& nextSequence) {
  if (end.emptyBegin != 0) return replaceEmpty(fs, std::move(directory), end, nextSequence);
  auto log = logOf(fs, directory, end.number);
  LogReadReport found;
  found.validSize = end.size;
  found.hasTornTail = true;  // Assume bytes behind the end.
  if (Status opened = log->open(found); !opened.ok()) return opened;
  // Otherwise unsynced bytes could tear in a power failure, beneath a later file.
  if (Status cut = log->cutTail(); !cut.ok()) return cut;
  auto wal =
      std::make_unique<WalWriter>(Key{}, fs, std::move(directory), end.number, std::move(log));
  wal->closed_ = sizesBelow(fs, wal->directory_, end.number);
  const Status rotated = wal->rotate(nextSequence);
  if (rotated.ok()) return wal;
  // After a failed sync the kernel may have dropped pages, and a second sync would not report it.
  return wal->isBroken() ? Status::io(rotated.message()) : rotated;
}

// Do not append to the old file: its pages may be lost after a failed sync. After a crash either
// file is there, and neither has content. The marks behind the begin are dropped, so their
// sequences are reused.
Result<std::unique_ptr<WalWriter>> WalWriter::replaceEmpty(FileSystem& fs, std::string directory,
                                                           const WalEnd& end,
                                                           std::uint64_t& nextSequence) {
  auto log = logOf(fs, directory, end.number);
  const auto begin = [](LogBatch& batch) {
    return batch.add(kBeginMarkType, [](ByteBuffer&) { return Status(); }).status();
  };
  if (Status begun = log->replace(begin, end.emptyBegin); !begun.ok()) return begun;
  nextSequence = end.emptyBegin + 1;
  auto wal =
      std::make_unique<WalWriter>(Key{}, fs, std::move(directory), end.number, std::move(log));
  wal->closed_ = sizesBelow(fs, wal->directory_, end.number);
  return wal;
}

Status WalWriter::broken() const {
  return {StatusCode::kStorageUnavailable, "a WAL write failed; the database is read-only"};
}

Status WalWriter::append(Bytes records) {
  if (isBroken()) return broken();
  Status appended = log_->appendRecords(records);
  if (appended.ok()) return appended;
  return {StatusCode::kStorageUnavailable, "cannot write the WAL: " + appended.message()};
}

Status WalWriter::sync() {
  if (isBroken()) return broken();
  Status synced = log_->sync();
  if (synced.ok()) {
    settle();
    return synced;
  }
  return {StatusCode::kStorageUnavailable, "cannot sync the WAL: " + synced.message()};
}

void WalWriter::settle() {
  if (isBroken()) return;  // The writer does not know how much of the last append reached the file.
  const std::lock_guard lock(endMutex_);
  end_ = {number_, log_->size()};
}

WalEnd WalWriter::settledEnd() const {
  const std::lock_guard lock(endMutex_);
  return end_;
}

std::uint64_t WalWriter::diskBytes() const {
  const std::lock_guard lock(endMutex_);
  std::uint64_t bytes = end_.size;
  for (const auto& [number, size] : closed_) bytes += size;
  return bytes;
}

void WalWriter::forget(std::uint64_t number) {
  const std::lock_guard lock(endMutex_);
  closed_.erase(number);
}

// REQUIRES: isSynced(), so that the mark is true of all records before it.
Status WalWriter::mark(std::uint8_t type, std::uint64_t sequence) {
  ByteBuffer record;
  appendRecord(record, type, sequence, {});
  const Status appended = append(record);
  return appended.ok() ? sync() : appended;
}

// The next file is made before the mark, so a file with the mark has a successor. The mark is
// synced before the first record there, so recovery cannot miss that file.
Status WalWriter::rotate(std::uint64_t& nextSequence) {
  if (Status synced = sync(); !synced.ok()) return synced;
  const std::string path = file_names::join(directory_, file_names::walFile(number_ + 1));
  if (Status removed = removeLeftover(fs_, path); !removed.ok()) return removed;
  auto next = createFile(fs_, directory_, number_ + 1, nextSequence + 1);
  if (!next.ok()) return next.status();
  Status marked = mark(kContinuedMarkType, nextSequence);
  if (!marked.ok()) {
    // The next try finds an unused file that is left, and recovery recognizes it.
    if (!isBroken()) static_cast<void>(fs_.remove(path));
    return marked;
  }
  const std::uint64_t closedSize = log_->size();
  log_ = std::move(next).value();
  {
    const std::lock_guard lock(endMutex_);
    closed_[number_] = closedSize;
    end_ = {++number_, log_->size()};
  }
  nextSequence += 2;
  return Status::okStatus();
}

Status WalWriter::close(std::uint64_t& nextSequence) {
  const Status synced = sync();
  if (!synced.ok()) return synced;
  const Status marked = mark(kClosedMarkType, nextSequence);
  if (marked.ok()) ++nextSequence;
  // Everything before the mark is synced. On a full disk only the mark is missing, as after a
  // crash.
  return isBroken() ? marked : Status::okStatus();
}

}  // namespace seriesdb
