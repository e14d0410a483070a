#include "format/annotation/annotation_log.h"

#include <utility>

#include "common/base/later_program.h"
#include "common/types/file_names.h"

namespace seriesdb {
namespace {

LogPlace placeIn(std::string directory) {
  return {std::move(directory), std::string(file_names::kAnnotations), LogKind::kAnnotations};
}

Status checkType(const LogRecord& record) {
  if (record.type == kAnnotationRecordType) return {};
  return unknownType(record.type, kAnnotationRecordType);
}

Status visitRecord(const LogRecord& record, const std::function<Status(Annotation)>& visit) {
  if (Status known = checkType(record); !known.ok()) return known;
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
  const LogPlace place = placeIn(directory);
  const auto exists = fs.exists(place.path());
  if (!exists.ok()) return exists.status();
  if (!exists.value()) return LogReadReport{};
  return readWholeLog(fs, place,
                      [&](const LogRecord& record) { return visitRecord(record, visit); });
}

AnnotationLog::AnnotationLog(FileSystem& fs, std::string directory)
    : fs_(fs), place_(placeIn(std::move(directory))), log_(fs, place_) {}

Status AnnotationLog::open(AnnotationIndex& index) {
  const auto report = readAnnotations(
      fs_, place_.directory, [&index](Annotation one) { return index.restore(std::move(one)); });
  if (!report.ok()) return report.status();
  // A crash during creation leaves an incomplete header: append() then makes the file anew.
  if (report.value().validSize == 0) return {};
  if (Status opened = log_.open(report.value()); !opened.ok()) return opened;
  count_ = index.count();
  return {};
}

Status AnnotationLog::resume(const AnnotationIndex& index) {
  const auto exists = fs_.exists(place_.path());
  if (!exists.ok()) return exists.status();
  if (!exists.value()) return {};
  std::uint64_t last = 0;
  LogReadReport known;
  bool isBeyond = false;
  const auto match = [&](const LogRecord& record) -> Status {
    if (Status type = checkType(record); !type.ok()) return recordProblem(place_, record, type);
    ByteReader reader(record.payload);
    std::uint64_t count = last;
    while (reader.ok() && !reader.atEnd() && !isBeyond) {
      const auto found = decodeAnnotation(reader);
      if (found.status().code() == StatusCode::kConfiguration) {
        return recordProblem(place_, record, found.status());
      }
      isBeyond = !found.ok() || count == index.count() || found.value() != index.at(++count);
    }
    if (isBeyond) return {};
    last = count;
    known.lastSequence = record.sequence;
    known.validSize = record.offset + record.payload.size();
    return {};
  };
  const auto report = readLog(fs_, place_, match);
  const bool isRead = report.ok() || report.status().code() == StatusCode::kStorageCorrupt;
  if (!isRead) return report.status();
  // The first append then makes the file anew.
  if (!report.ok() || last == 0 || last < index.count() || report.value().firstSequence != 1) {
    return {};
  }
  known.hasTornTail = isBeyond || report.value().hasTornTail;
  if (Status opened = log_.open(known); !opened.ok()) return opened;
  count_ = last;
  return {};
}

Status AnnotationLog::append(const AnnotationIndex& index, std::uint64_t last) {
  if (!log_.failure().ok()) return log_.failure();
  if (last <= count_) return {};
  const auto write = [&](LogBatch& batch) -> Status {
    for (std::uint64_t id = count_ + 1; id <= last;) {
      const auto added = batch.add(kAnnotationRecordType, [&](ByteBuffer& out) {
        while (id <= last && out.size() < kRecordSizeAimed) encodeAnnotation(out, index.at(id++));
        return Status();
      });
      if (!added.ok()) return added.status();
    }
    return {};
  };
  const Status appended = log_.append(write);
  if (appended.ok()) count_ = last;
  return appended;
}

}  // namespace seriesdb
