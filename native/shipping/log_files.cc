#include "shipping/log_files.h"

#include <utility>

#include "common/types/file_names.h"
#include "format/log/log_file.h"
#include "format/log/log_frame.h"
#include "format/log/wal_reader.h"
#include "format/log/wal_writer.h"

namespace seriesdb {
namespace {

// Whether the last one of these records says that the log goes on in the next file.
bool isContinued(Bytes records) {
  std::size_t last = 0;
  std::size_t end = 0;
  while (const auto size = log_frame::plausibleSize(records, end)) {
    last = end;
    end += *size;
  }
  const auto record = log_frame::recordAt(records, last);
  return record && record->type == kContinuedMarkType;
}

}  // namespace

LogFiles::LogFiles(FileSystem& fs, std::string folder, Floor floor)
    : fs_(fs), folder_(std::move(folder)), floor_(floor) {}

Status LogFiles::begin() {
  if (Status made = fs_.makeDirectory(folder_); !made.ok()) return made;
  const auto names = fs_.list(folder_);
  if (!names.ok()) return names.status();
  for (const std::string& name : names.value()) {
    if (Status gone = fs_.remove(file_names::join(folder_, name)); !gone.ok()) return gone;
  }
  return fs_.syncDirectory(folder_);
}

Status LogFiles::add(const LogGroup& group) {
  if (group.records.empty()) return {};
  isContinued_ = isContinued(group.records);
  lastSequence_ = group.lastSequence;
  if (file_ && group.file == number_) return file_->append(group.records);
  const std::uint64_t next = file_ ? number_ + 1 : floor_.file;
  if (group.file != next) {
    return Status::corrupt("group " + std::to_string(group.place.epoch) + "/" +
                           std::to_string(group.place.number) + ": it is of the log file " +
                           std::to_string(group.file) + ", but file " + std::to_string(next) +
                           " is the next one");
  }
  if (file_) {
    if (Status synced = file_->sync(); !synced.ok()) return synced;
  }
  auto file =
      createLog(fs_, {folder_, file_names::walFile(next), LogKind::kWal, next}, group.records);
  if (!file.ok()) return file.status();
  file_ = std::move(file).value();
  number_ = next;
  return {};
}

Status LogFiles::end() {
  if (file_) {
    if (Status synced = file_->sync(); !synced.ok() || !isContinued_) return synced;
  }
  // The records of the next file did not reach the bucket.
  std::uint64_t next = (file_ ? lastSequence_ : floor_.sequence) + 1;
  return WalWriter::create(fs_, folder_, file_ ? number_ + 1 : floor_.file, next).status();
}

}  // namespace seriesdb
