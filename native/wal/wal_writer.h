// The write-ahead log of one data directory: numbered files, one being appended to.
//
// Not thread-safe: the committer owns it. A failed append is cut back, so that the log never ends
// in half a batch that was reported as failed; a failed sync or cut is final (isBroken).
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "base/file_system.h"
#include "base/status.h"
#include "wal/log_file.h"

namespace seriesdb {

class WalWriter {
 public:
  // Makes file `number` in `directory` and appends there.
  static Result<std::unique_ptr<WalWriter>> create(FileSystem& fs, std::string directory,
                                                   std::uint64_t number);

  // Appends framed records (appendRecord) in one write. On failure nothing of it stays in the file.
  Status append(Bytes records);
  // fdatasync of the current file, if anything was appended since the last one.
  Status sync();
  // Syncs the current file, makes the next one and goes on there.
  Status rotate();

  std::uint64_t number() const { return number_; }
  // Whether all that was appended is on disk.
  bool isSynced() const { return !isDirty_; }
  // True after a failure that cannot be undone; every later call fails.
  bool isBroken() const { return isBroken_; }

 private:
  WalWriter(FileSystem& fs, std::string directory, std::uint64_t number,
            std::unique_ptr<WritableFile> file)
      : fs_(fs), directory_(std::move(directory)), number_(number), file_(std::move(file)) {}
  Status broken() const;

  FileSystem& fs_;
  std::string directory_;
  std::uint64_t number_;
  std::unique_ptr<WritableFile> file_;
  bool isDirty_ = false;
  bool isBroken_ = false;
};

}  // namespace seriesdb
