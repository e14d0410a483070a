// One WAL file as recovery reads it: its records and the marks among them.
//
// Marks are records without a payload by which the WAL describes itself. They are numbered like all
// others:
//
//   begin      the first record of a file
//   closed     the process ended in order, so everything before it was synced
//   continued  the last record of a file: a next file exists and may hold records
//
// The writer makes the next file before the mark `continued`, and writes records to it only after
// that mark was synced. So if a file lacks `continued`, its next file holds only a begin mark. A
// file with `continued` is not the last. Files of older versions have no marks. See
// docs/format/wal.md.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "common/base/status.h"
#include "common/file/file_system.h"
#include "format/log/log_file.h"

namespace seriesdb {

// Record types, on disk: do not renumber. 1 to 3 are the engine's.
inline constexpr std::uint8_t kBeginMarkType = 4;
inline constexpr std::uint8_t kContinuedMarkType = 5;
inline constexpr std::uint8_t kClosedMarkType = 6;

constexpr bool isMark(std::uint8_t type) {
  return type >= kBeginMarkType && type <= kClosedMarkType;
}

struct WalFileReport {
  LogReadReport log;
  bool hasBegin = false;
  bool isContinued = false;
  bool hasContent = false;  // True if any record is not a mark.
  // True if the file holds no record, or only its begin mark.
  bool isUnused() const { return log.recordCount == (hasBegin ? 1 : 0); }
  // False if a crash interrupted the creation of the file.
  bool hasHeader() const { return log.validSize > 0; }
};

// As LogScan, marks included. A mark in a place where no writer puts one is kStorageCorrupt too.
class WalScan {
 public:
  WalScan(Bytes log, std::string path, std::uint64_t number);

  Result<std::optional<LogRecord>> next();
  // The report on the records read so far.
  const WalFileReport& report() const { return report_; }

 private:
  Status take(const LogRecord& record);

  const std::string path_;
  LogScan scan_;
  WalFileReport report_;
  bool isFirst_ = true;
  bool isClosed_ = false;
};

// As readLog; `onRecord` gets the marks too. Fails as WalScan.
Result<WalFileReport> readWalFile(FileSystem& fs, const std::string& path, std::uint64_t number,
                                  const std::function<Status(const LogRecord&)>& onRecord);

}  // namespace seriesdb
