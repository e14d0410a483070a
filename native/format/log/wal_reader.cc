#include "format/log/wal_reader.h"

#include <utility>

namespace seriesdb {
namespace {

// The checksum matched, so the message names the record by its number.
Status misplaced(const std::string& path, const LogRecord& record, std::string_view what) {
  return Status::corrupt(path + ": the record with sequence " + std::to_string(record.sequence) +
                         ": " + std::string(what));
}

}  // namespace

WalScan::WalScan(Bytes log, std::string path, std::uint64_t number)
    : path_(std::move(path)), scan_(log, path_, LogKind::kWal, number) {}

Result<std::optional<LogRecord>> WalScan::next() {
  auto record = scan_.next();
  report_.log = scan_.report();
  if (!record.ok()) return record;
  if (record.value()) {
    if (Status taken = take(*record.value()); !taken.ok()) return taken;
  } else if (report_.isContinued && report_.log.hasTornTail) {
    return Status::corrupt(path_ + ": unexpected bytes after the end of the log at offset " +
                           std::to_string(report_.log.validSize));
  }
  return record;
}

Status WalScan::take(const LogRecord& record) {
  const bool isBegin = record.type == kBeginMarkType;
  const bool isEnd = record.type == kContinuedMarkType;
  if (isMark(record.type) && !record.payload.empty()) {
    return misplaced(path_, record, "a mark with a payload");
  }
  if (isBegin && !isFirst_) return misplaced(path_, record, "a begin mark inside the file");
  if (report_.isContinued || (isClosed_ && !isEnd)) {
    return misplaced(path_, record, "it comes after the end of the log");
  }
  isFirst_ = false;
  report_.hasBegin = report_.hasBegin || isBegin;
  report_.isContinued = isEnd;
  report_.hasContent = report_.hasContent || !isMark(record.type);
  isClosed_ = record.type == kClosedMarkType;
  return {};
}

Result<WalFileReport> readWalFile(FileSystem& fs, const std::string& path, std::uint64_t number,
                                  const std::function<Status(const LogRecord&)>& onRecord) {
  const auto content = fs.readAll(path);
  if (!content.ok()) return content.status();
  WalScan scan(content.value(), path, number);
  for (;;) {
    const auto record = scan.next();
    if (!record.ok()) return record.status();
    if (!record.value()) return scan.report();
    if (Status taken = onRecord(*record.value()); !taken.ok()) return taken;
  }
}

}  // namespace seriesdb
