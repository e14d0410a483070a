// The write-ahead log of one data directory: numbered files; the last one grows.
//
// Not thread-safe, except where noted: the committer owns it. A failed append is cut back, so the
// log never ends in half a batch that was reported as failed. A failed sync or cut is final
// (isBroken). The marks (see wal_reader.h) take their numbers from `nextSequence`, which advances
// only on success.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "common/base/lock_order.h"
#include "common/base/status.h"
#include "common/file/file_system.h"
#include "format/log/append_log.h"

namespace seriesdb {

// The end of a WAL that was read back: its last file, and the size up to the last good record.
struct WalEnd {
  std::uint64_t number = 0;
  std::uint64_t size = 0;
  // The sequence of that file's begin mark if only marks follow it, else 0.
  std::uint64_t emptyBegin = 0;
};

class WalWriter {
  struct Key {};

 public:
  WalWriter(Key key, FileSystem& fs, std::string directory, std::uint64_t number,
            std::unique_ptr<AppendLog> log);
  // Makes the file `number`, the first one in `directory`, and appends there.
  static Result<std::unique_ptr<WalWriter>> create(FileSystem& fs, std::string directory,
                                                   std::uint64_t number,
                                                   std::uint64_t& nextSequence);
  // Cuts the bytes behind `end`, syncs the rest of that file, and continues in the next one. A file
  // without content is instead replaced by a new one of the same number.
  static Result<std::unique_ptr<WalWriter>> resume(FileSystem& fs, std::string directory,
                                                   const WalEnd& end, std::uint64_t& nextSequence);

  // Appends framed records (appendRecord) in one write. If it fails, none of them stay in the file.
  Status append(Bytes records);
  // Syncs (fdatasync) the current file, if anything was appended since the last sync.
  Status sync();
  // Moves settledEnd() to the end of the file without a sync. No later failure takes these records
  // back, and no writer waits for their sync.
  void settle();
  // Syncs the current file, makes the next one and continues there.
  Status rotate(std::uint64_t& nextSequence);
  // Syncs the current file and writes the closed mark. Nothing may be appended afterwards.
  Status close(std::uint64_t& nextSequence);

  // Any thread: the end up to which readers may read while the writer appends. It is the last
  // synced or settled end; only complete records, which stay, lie before it.
  WalEnd settledEnd() const;
  // Any thread: the bytes of all WAL files, the last one counted up to settledEnd().
  std::uint64_t diskBytes() const;
  // Any thread: reports that a file before the current one was removed.
  void forget(std::uint64_t number);

  std::uint64_t number() const { return number_; }
  // True if all appended records are on disk.
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
  std::unique_ptr<AppendLog> log_;  // The file `number_`.
  mutable OrderedMutex<LockRank::kWalEnd> endMutex_;
  WalEnd end_;  // See settledEnd().
  // Sizes of the earlier files in bytes, by number.
  std::map<std::uint64_t, std::uint64_t> closed_;
};

}  // namespace seriesdb
