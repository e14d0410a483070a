// Prints the WAL files.
#include <algorithm>
#include <utility>

#include "common/types/file_names.h"
#include "maintenance/inspect/json_line.h"
#include "maintenance/inspection.h"
#include "maintenance/inspection_rows.h"
#include "storage/engine/engine.h"
#include "storage/engine/files_now.h"
#include "storage/view/view.h"

namespace seriesdb {

Status Inspection::planLogs(const FilesNow* now) {
  const auto names = fs_.list(path(file_names::kWalDirectory));
  if (!names.ok()) return names.status();
  for (const std::string& name : names.value()) {
    const auto number = file_names::walNumber(name);
    if (!number || (request_.number && *request_.number != *number)) continue;
    if (now != nullptr && now->log) {
      planLiveLog(*number, *now->log, now->state.walFloor);
    } else {
      logs_.push_back({*number, nullptr, UINT64_MAX});
    }
  }
  return {};
}

void Inspection::planLiveLog(std::uint64_t number, const WalEnd& end, std::uint64_t floor) {
  if (number > end.number) return;
  auto opened =
      fs_.openRead(file_names::join(path(file_names::kWalDirectory), file_names::walFile(number)));
  // A flush is removing the file.
  if (!opened.ok() && number < floor) return;
  Log& log = logs_.emplace_back();
  log.number = number;
  if (opened.ok()) log.file = std::move(opened).value();
  if (number == end.number) log.end = end.size;
}

// Unless the file may vanish, read it instead of mapping it: a bad sector must become a Status, not
// a signal.
Status Inspection::beginLog() {
  const Log& log = logs_.front();
  const std::string file =
      file_names::join(path(file_names::kWalDirectory), file_names::walFile(log.number));
  Bytes bytes = log.file ? log.file->mapped() : Bytes();
  if (bytes.empty()) {
    auto read = fs_.readAll(file);
    if (!read.ok()) return read.status();
    content_ = std::move(read).value();
    bytes = content_;
  }
  const auto end = static_cast<std::size_t>(std::min<std::uint64_t>(log.end, bytes.size()));
  scan_.emplace(bytes.first(end), file, log.number);
  return {};
}

// Prints a piece of the first log.
void Inspection::printLog(std::string& piece) {
  const Log& log = logs_.front();
  const std::string name = file_names::walFile(log.number);
  const std::size_t before = piece.size();
  Status failed = scan_ ? Status() : beginLog();
  bool isAtEnd = false;
  while (failed.ok() && !isAtEnd && piece.size() < kPieceSize && !isCancelled()) {
    const auto record = scan_->next();
    failed = record.status();
    isAtEnd = record.ok() && !record.value();
    if (record.ok() && record.value()) printRecord(name, *record.value(), piece);
  }
  if (log.file && log.file->isMappingLost()) {
    piece.resize(before);
    failed = Status::io(name + " cannot be read");
  }
  if (failed.ok() && !isAtEnd) return;
  if (!failed.ok()) JsonLine(piece).text("file", name).text("error", failed.message()).end();
  if (failed.ok()) printLogEnd(name, piece);
  scan_.reset();
  content_ = {};
  logs_.pop_front();
}

void Inspection::printLogEnd(const std::string& name, std::string& piece) const {
  const LogReadReport& log = scan_->report().log;
  if (!log.hasTornTail) return;
  JsonLine(piece)
      .text("file", name)
      .text("record", "torn")
      .count("bytes", log.fileSize - log.validSize)
      .end();
}

}  // namespace seriesdb
