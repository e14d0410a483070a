#include "format/log/append_log.h"

#include "common/types/file_names.h"
#include "format/log/log_frame.h"

namespace seriesdb {

namespace {

Result<LogReadReport> checkBegin(const LogPlace& place, Result<LogReadReport> report) {
  if (!report.ok() || report.value().firstSequence <= 1) return report;
  return Status::corrupt(place.path() + ": the first record is missing");
}

}  // namespace

Status recordProblem(const LogPlace& place, const LogRecord& record, const Status& why) {
  const bool isLater = why.code() == StatusCode::kConfiguration;
  return {isLater ? why.code() : StatusCode::kStorageCorrupt,
          place.path() + ": record " + std::to_string(record.sequence) + ": " + why.message()};
}

Result<LogReadReport> readWholeLog(FileSystem& fs, const LogPlace& place,
                                   const std::function<Status(const LogRecord&)>& onRecord) {
  const auto take = [&](const LogRecord& record) -> Status {
    const Status taken = onRecord(record);
    return taken.ok() ? taken : recordProblem(place, record, taken);
  };
  return checkBegin(place, readLog(fs, place, take));
}

Result<LogContent> readLogContent(FileSystem& fs, const LogPlace& place) {
  auto bytes = fs.readAll(place.path());
  if (!bytes.ok()) return bytes.status();
  LogContent content{std::move(bytes).value(), {}, {}};
  LogScan scan(content.bytes, place.path(), place.kind, place.number);
  for (;;) {
    const auto record = scan.next();
    if (!record.ok()) return record.status();
    if (!record.value()) break;
    content.records.push_back(*record.value());
  }
  const auto checked = checkBegin(place, scan.report());
  if (!checked.ok()) return checked.status();
  content.report = checked.value();
  return content;
}

Result<LogRecord> LogBatch::finish(std::uint8_t type) {
  if (Status ended = endRecord(out_, 0); !ended.ok()) return ended;
  const std::uint64_t at = file_.size();
  if (Status status = file_.append(out_); !status.ok()) return status;
  const Bytes payload = Bytes(out_).subspan(log_frame::kPayloadOffset);
  const LogRecord record{type, nextSequence_, payload, isFirst_, at + log_frame::kPayloadOffset};
  ++nextSequence_;
  isFirst_ = false;
  return record;
}

Status AppendLog::create(Bytes records) {
  auto file = createLog(fs_, place_, records);
  if (!file.ok()) return file.status();
  file_ = std::move(file).value();
  return {};
}

Status AppendLog::open(const LogReadReport& found) {
  auto file = fs_.openAppend(path());
  if (!file.ok()) return file.status();
  if (Status status = file.value()->sync(); !status.ok()) return status;
  file_ = std::move(file).value();
  nextSequence_ = found.lastSequence + 1;
  if (found.hasTornTail) tornAt_ = found.validSize;
  return {};
}

Status AppendLog::cutTail() {
  if (!tornAt_) return failure_;
  if (file_->size() > *tornAt_) {
    isDirty_ = true;
    failure_ = file_->truncate(*tornAt_);
  }
  if (failure_.ok()) tornAt_.reset();
  return failure_;
}

// Handles the result of a write to a file that had `size` bytes before it.
Status AppendLog::settle(Status written, std::uint64_t size) {
  if (written.ok()) return written;
  const Status cut = file_->truncate(size);
  if (!cut.ok() || written.code() != StatusCode::kStorageUnavailable) failure_ = written;
  return written;
}

Status AppendLog::append(const Write& write) {
  if (!failure_.ok()) return failure_;
  if (!file_) {
    if (Status removed = removeLeftover(fs_, path()); !removed.ok()) return removed;
    if (Status created = create(); !created.ok()) return created;
  }
  if (Status cut = cutTail(); !cut.ok()) return cut;
  const std::uint64_t size = file_->size();
  LogBatch batch(*file_, nextSequence_);
  isDirty_ = true;
  if (Status written = settle(write(batch), size); !written.ok()) return written;
  if (Status synced = sync(); !synced.ok()) return synced;
  nextSequence_ = batch.nextSequence();
  return {};
}

Status AppendLog::appendRecords(Bytes records) {
  if (!failure_.ok()) return failure_;
  if (Status cut = cutTail(); !cut.ok()) return cut;
  const std::uint64_t size = file_->size();
  isDirty_ = true;
  return settle(file_->append(records), size);
}

Status AppendLog::sync() {
  if (!failure_.ok() || !isDirty_) return failure_;
  failure_ = file_->sync();
  isDirty_ = !failure_.ok();
  return failure_;
}

Status AppendLog::writeTemporary(const LogPlace& temporary, const Write& write,
                                 std::uint64_t& nextSequence) const {
  AppendLog log(fs_, temporary);
  log.nextSequence_ = nextSequence;
  if (Status written = log.append(write); !written.ok()) return written;
  nextSequence = log.nextSequence_;
  return {};
}

Status AppendLog::replace(const Write& write, std::uint64_t firstSequence) {
  LogPlace temporary = place_;
  temporary.name += kTemporarySuffix;
  std::uint64_t nextSequence = firstSequence;
  Status named = writeTemporary(temporary, write, nextSequence);
  const bool isWritten = named.ok();
  if (isWritten) named = fs_.rename(temporary.path(), path());
  if (!isWritten || named.code() == StatusCode::kStorageUnavailable) {
    // The temporary file may take the very space that is missing.
    static_cast<void>(removeLeftover(fs_, temporary.path()).ok());
    return {StatusCode::kStorageUnavailable, named.message()};
  }
  // A restart may find either file, so an append after a failure could go to the wrong one.
  if (named.ok()) named = fs_.syncDirectory(place_.directory);
  auto reopened = named.ok() ? fs_.openAppend(path()) : named;
  failure_ = reopened.ok() ? Status() : Status(StatusCode::kIo, reopened.status().message());
  if (!failure_.ok()) return failure_;
  file_ = std::move(reopened).value();
  nextSequence_ = nextSequence;
  tornAt_.reset();
  isDirty_ = false;
  return {};
}

}  // namespace seriesdb
