// The write-ahead log of one data directory: numbered files, one being appended to.
//
// Not thread-safe but for what says so: the committer owns it. A failed append is cut back, so that
// the log never ends in half a batch that was reported as failed; a failed sync or cut is final
// (isBroken).
// The marks that it writes (see wal_reader.h) take their numbers from the counter that is handed
// in, which is moved on by success only.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "common/base/status.h"
#include "common/file/file_system.h"
#include "format/log/append_log.h"

namespace seriesdb {

// Where a log that was read back ends: its last file, and the size up to its last good record.
struct WalEnd {
  std::uint64_t number = 0;
  std::uint64_t size = 0;
  // The sequence of that file's begin if no record but marks follows it, else 0.
  std::uint64_t emptyBegin = 0;
};

class WalWriter {
  struct Key {};

 public:
  WalWriter(Key key, FileSystem& fs, std::string directory, std::uint64_t number,
            std::unique_ptr<AppendLog> log);
  // Makes the file of that number, the first one in `directory`, and appends there.
  static Result<std::unique_ptr<WalWriter>> create(FileSystem& fs, std::string directory,
                                                   std::uint64_t number,
                                                   std::uint64_t& nextSequence);
  // Cuts what stands behind `end`, syncs the rest of that file, and goes on in the next one. A file
  // without content is replaced by a new one of its number instead.
  static Result<std::unique_ptr<WalWriter>> resume(FileSystem& fs, std::string directory,
                                                   const WalEnd& end, std::uint64_t& nextSequence);

  // Appends framed records (appendRecord) in one write. On failure nothing of it stays in the file.
  Status append(Bytes records);
  // fdatasync of the current file, if anything was appended since the last one.
  Status sync();
  // What was appended is not taken back any more, though it is not synced: nobody waits for that.
  void settle();
  // Syncs the current file, makes the next one and goes on there.
  Status rotate(std::uint64_t& nextSequence);
  // Syncs the current file and marks that the process ended in order. Nothing more may be appended.
  Status close(std::uint64_t& nextSequence);

  // Any thread: up to where the log can be read beside its writer, which is what was synced last or
  // settled. All of it is whole records, which stay.
  WalEnd settledEnd() const;
  // Any thread: bytes of the files that are there, of the last one up to the settled end.
  std::uint64_t diskBytes() const;
  // Any thread: a file before the one that is written was removed.
  void forget(std::uint64_t number);

  std::uint64_t number() const { return number_; }
  // Whether all that was appended is on disk.
  bool isSynced() const { return log_->isSynced(); }
  // True after a failure that cannot be undone; every later call fails.
  bool isBroken() const { return !log_->failure().ok(); }

 private:
  static Result<std::unique_ptr<WalWriter>> replaceEmpty(FileSystem& fs, std::string directory,
                                                         const WalEnd& end,
                                                         std::uint64_t& nextSequence);
  Status broken() const;
  Status mark(std::uint8_t type, std::uint64_t sequence);

  FileSystem& fs_;
  std::string directory_;
  std::uint64_t number_;
  std::unique_ptr<AppendLog> log_;  // The file of that number.
  mutable std::mutex endMutex_;
  WalEnd end_;  // The settled one.
  std::map<std::uint64_t, std::uint64_t> closed_;  // Sizes of the files before it, by number.
};

}  // namespace seriesdb
