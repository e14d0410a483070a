#include "wal/wal_writer.h"

#include <utility>

#include "model/file_names.h"

namespace seriesdb {

Result<std::unique_ptr<WalWriter>> WalWriter::create(FileSystem& fs, std::string directory,
                                                     std::uint64_t number) {
  auto file = createLog(fs, directory, file_names::walFile(number), LogKind::kWal, number);
  if (!file.ok()) return file.status();
  return std::unique_ptr<WalWriter>(
      new WalWriter(fs, std::move(directory), number, std::move(file).value()));
}

Status WalWriter::broken() const {
  return {StatusCode::kStorageUnavailable, "the write-ahead log failed; the database is read-only"};
}

Status WalWriter::append(Bytes records) {
  if (isBroken_) return broken();
  const std::uint64_t before = file_->size();
  isDirty_ = true;
  Status appended = file_->append(records);
  if (appended.ok()) return appended;
  const Status cut = file_->truncate(before);
  if (!cut.ok() || appended.code() != StatusCode::kStorageUnavailable) isBroken_ = true;
  return {StatusCode::kStorageUnavailable, "cannot write the log: " + appended.message()};
}

Status WalWriter::sync() {
  if (isBroken_) return broken();
  if (!isDirty_) return Status::okStatus();
  const Status synced = file_->sync();
  if (synced.ok()) {
    isDirty_ = false;
    return synced;
  }
  // The kernel may have dropped the dirty pages: what a retry reports means nothing.
  isBroken_ = true;
  return {StatusCode::kStorageUnavailable, "cannot sync the log: " + synced.message()};
}

Status WalWriter::rotate() {
  const Status synced = sync();
  if (!synced.ok()) return synced;
  const std::string name = file_names::walFile(number_ + 1);
  // What an earlier try left could not be removed then.
  const std::string path = file_names::join(directory_, name);
  const auto exists = fs_.exists(path);
  if (!exists.ok()) return exists.status();
  if (exists.value()) {
    if (Status removed = fs_.remove(path); !removed.ok()) return removed;
  }
  auto next = createLog(fs_, directory_, name, LogKind::kWal, number_ + 1);
  if (!next.ok()) return next.status();
  file_ = std::move(next).value();
  ++number_;
  isDirty_ = false;
  return Status::okStatus();
}

}  // namespace seriesdb
