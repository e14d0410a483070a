#include "wal/wal_reader.h"

#include <utility>

namespace seriesdb {
namespace {

// The checksum held, so a record is named by its number.
Status misplaced(const std::string& path, const LogRecord& record, std::string_view what) {
  return Status::corrupt(path + ": the record with sequence " + std::to_string(record.sequence) +
                         ": " + std::string(what));
}

}  // namespace

Result<WalFileReport> readWalFile(FileSystem& fs, const std::string& path, std::uint64_t number,
                                  const std::function<Status(const LogRecord&)>& onRecord) {
  WalFileReport report;
  bool isFirst = true;
  bool isClosed = false;
  const auto take = [&](const LogRecord& record) -> Status {
    const bool isBegin = record.type == kBeginMarkType;
    const bool isEnd = record.type == kContinuedMarkType;
    if (isMark(record.type) && !record.payload.empty()) {
      return misplaced(path, record, "a mark with a payload");
    }
    if (isBegin && !isFirst) return misplaced(path, record, "a begin within the file");
    if (report.isContinued || (isClosed && !isEnd)) {
      return misplaced(path, record, "it stands behind the end of the log");
    }
    isFirst = false;
    report.hasBegin = report.hasBegin || isBegin;
    report.isContinued = isEnd;
    isClosed = record.type == kClosedMarkType;
    return onRecord(record);
  };
  auto read = readLog(fs, path, LogKind::kWal, number, take);
  if (!read.ok()) return read.status();
  report.log = read.value();
  if (report.isContinued && report.log.hasTornTail) {
    return Status::corrupt(path + ": bytes stand behind the end of the log at offset " +
                           std::to_string(report.log.validSize));
  }
  return report;
}

}  // namespace seriesdb
