#include "annotation/annotation_log.h"

#include <utility>

#include "model/file_names.h"

namespace seriesdb {
namespace {

// ANNOTATIONS is one file for ever.
constexpr std::uint64_t kFileNumber = 1;

// A record is closed and written once it has grown past this.
constexpr std::size_t kRecordSizeAimed = std::size_t{4} << 20;

Status visitRecord(const LogRecord& record, const std::function<Status(Annotation)>& visit) {
  if (record.type != kAnnotationRecordType) return Status::corrupt("unknown type");
  ByteReader reader(record.payload);
  while (reader.ok() && !reader.atEnd()) {
    auto annotation = decodeAnnotation(reader);
    if (!annotation.ok()) return annotation.status();
    Status visited = visit(std::move(annotation).value());
    if (!visited.ok()) return visited;
  }
  return {};
}

}  // namespace

Result<LogReadReport> readAnnotations(FileSystem& fs, const std::string& directory,
                                      const std::function<Status(Annotation)>& visit) {
  const std::string path = file_names::join(directory, file_names::kAnnotations);
  const auto exists = fs.exists(path);
  if (!exists.ok()) return exists.status();
  if (!exists.value()) return LogReadReport{};
  const auto visitPayload = [&](const LogRecord& record) {
    Status status = visitRecord(record, visit);
    if (status.ok()) return status;
    return Status::corrupt(path + ": record " + std::to_string(record.sequence) + ": " +
                           status.message());
  };
  auto report = readLog(fs, path, LogKind::kAnnotations, kFileNumber, visitPayload);
  if (!report.ok() || report.value().firstSequence <= 1) return report;
  return Status::corrupt(path + ": the first record is missing");
}

Status AnnotationLog::open(AnnotationIndex& index) {
  const auto report = readAnnotations(
      fs_, directory_, [&index](Annotation one) { return index.restore(std::move(one)); });
  if (!report.ok()) return report.status();
  // A header that is not whole is what a crash inside create() leaves: append() makes it anew.
  if (report.value().validSize == 0) return {};
  auto file = fs_.openAppend(file_names::join(directory_, file_names::kAnnotations));
  if (!file.ok()) return file.status();
  // The last append may have been written and not synced, and what was restored here counts as
  // recorded from now on.
  Status status = file.value()->sync();
  if (!status.ok()) return status;
  if (report.value().hasTornTail) tornAt_ = report.value().validSize;
  file_ = std::move(file).value();
  nextSequence_ = report.value().lastSequence + 1;
  count_ = index.count();
  return {};
}

Status AnnotationLog::resume(const AnnotationIndex& index) {
  const std::string path = file_names::join(directory_, file_names::kAnnotations);
  const auto exists = fs_.exists(path);
  if (!exists.ok()) return exists.status();
  if (!exists.value()) return {};
  std::uint64_t last = 0;
  std::uint64_t lastSequence = 0;
  std::uint64_t end = 0;
  bool isBeyond = false;
  const auto match = [&](const LogRecord& record) -> Status {
    ByteReader reader(record.payload);
    std::uint64_t count = last;
    while (reader.ok() && !reader.atEnd() && !isBeyond) {
      const auto found = decodeAnnotation(reader);
      isBeyond = !found.ok() || count == index.count() || found.value() != index.at(++count);
    }
    if (isBeyond) return {};
    last = count;
    lastSequence = record.sequence;
    end = record.offset + record.payload.size();
    return {};
  };
  const auto report = readLog(fs_, path, LogKind::kAnnotations, kFileNumber, match);
  const bool isRead = report.ok() || report.status().code() == StatusCode::kStorageCorrupt;
  if (!isRead) return report.status();
  // Then the first append makes the file anew.
  if (!report.ok() || last == 0 || last < index.count() || report.value().firstSequence != 1) {
    return {};
  }
  auto file = fs_.openAppend(path);
  if (!file.ok()) return file.status();
  if (Status synced = file.value()->sync(); !synced.ok()) return synced;
  file_ = std::move(file).value();
  if (isBeyond || report.value().hasTornTail) tornAt_ = end;
  nextSequence_ = lastSequence + 1;
  count_ = last;
  return {};
}

Status AnnotationLog::create() {
  const std::string path = file_names::join(directory_, file_names::kAnnotations);
  if (Status removed = removeLeftover(fs_, path); !removed.ok()) return removed;
  auto file = createLog(fs_, directory_, std::string(file_names::kAnnotations),
                        LogKind::kAnnotations, kFileNumber);
  if (!file.ok()) return file.status();
  file_ = std::move(file).value();
  return {};
}

Status AnnotationLog::append(const AnnotationIndex& index, std::uint64_t last) {
  if (!failure_.ok()) return failure_;
  if (last <= count_) return {};
  if (!file_) {
    if (Status created = create(); !created.ok()) return created;
  }
  if (tornAt_) {
    failure_ = file_->truncate(*tornAt_);
    if (!failure_.ok()) return failure_;
    tornAt_.reset();
  }
  const std::uint64_t size = file_->size();
  const std::uint64_t sequence = nextSequence_;
  const Status written = write(index, last);
  if (written.ok()) {
    failure_ = file_->sync();
    if (failure_.ok()) count_ = last;
    return failure_;
  }
  // On a full disk the log goes back to what it was, and a later call may succeed.
  const Status cut = file_->truncate(size);
  if (!cut.ok() || written.code() != StatusCode::kStorageUnavailable) failure_ = written;
  nextSequence_ = sequence;
  return written;
}

Status AnnotationLog::write(const AnnotationIndex& index, std::uint64_t last) {
  ByteBuffer out;
  bool isFirst = true;
  for (std::uint64_t id = count_ + 1; id <= last;) {
    if (Status status = checkRecordNumber(nextSequence_); !status.ok()) return status;
    out.clear();
    const std::size_t begin =
        beginRecord(out, kAnnotationRecordType, nextSequence_++, std::exchange(isFirst, false));
    while (id <= last && out.size() < kRecordSizeAimed) {
      encodeAnnotation(out, index.at(id++));
    }
    endRecord(out, begin);
    if (Status status = file_->append(out); !status.ok()) return status;
  }
  return {};
}

}  // namespace seriesdb
