// One file of the write-ahead log as recovery reads it: the records, and the marks among them.
//
// Marks are records without payload that the log writes about itself, numbered like all others:
//
//   begin      the first record of a file
//   closed     the process ended in order; so all before it was synced
//   continued  the last record of a file: there is a next one, and it may hold records
//
// A next file is made before the mark `continued` and written to only after that mark was synced.
// So what follows a file without it holds nothing but its begin, and a file with it is not the
// last. Files of before there were marks have none of them. See docs/format/wal.md.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "common/base/status.h"
#include "common/file/file_system.h"
#include "format/log/log_file.h"

namespace seriesdb {

// Types of records, on disk: do not renumber. 1 to 3 are the engine's.
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
  bool hasContent = false;  // A record that is no mark.
  // Nothing was logged here: neither samples nor what else the engine logs, nor an end.
  bool isUnused() const { return log.recordCount == (hasBegin ? 1 : 0); }
  // False for what a crash leaves of a file that was being made.
  bool hasHeader() const { return log.validSize > 0; }
};

// As LogScan, marks included. Marks in places where no writer puts them are kStorageCorrupt too.
class WalScan {
 public:
  WalScan(Bytes log, std::string path, std::uint64_t number);

  Result<std::optional<LogRecord>> next();
  // Of what was read so far.
  const WalFileReport& report() const { return report_; }

 private:
  Status take(const LogRecord& record);

  const std::string path_;
  LogScan scan_;
  WalFileReport report_;
  bool isFirst_ = true;
  bool isClosed_ = false;
};

// As readLog, marks included in what `onRecord` gets; fails as WalScan.
Result<WalFileReport> readWalFile(FileSystem& fs, const std::string& path, std::uint64_t number,
                                  const std::function<Status(const LogRecord&)>& onRecord);

}  // namespace seriesdb
