// A log file that is appended to in batches of records: the basis of the WAL's files, CATALOG,
// ANNOTATIONS, MANIFEST and REFS. Not thread-safe.
//
// The first batch cuts a torn tail, so a failed opening changes nothing. A batch that fails is cut
// off again; after a crash its first records may remain. If there is no room for a batch, the file
// stays as it was. Any other failed write is final, because the end of the file is then unknown. So
// is a failed sync: the kernel may have dropped the data, so a successful retry proves nothing.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "common/base/bytes.h"
#include "common/base/status.h"
#include "common/file/file_system.h"
#include "format/log/log_file.h"

namespace seriesdb {

// Writers end a record once it is larger than this. The size is far below kRecordPayloadSizeMax and
// bounds the memory that writing and reading one record take.
inline constexpr std::size_t kRecordSizeAimed = std::size_t{4} << 20;

// As readLog, for a log whose first record has number 1. An error names the file and the record.
Result<LogReadReport> readWholeLog(FileSystem& fs, const LogPlace& place,
                                   const std::function<Status(const LogRecord&)>& onRecord);

// All records of such a log at once, for callers that look at several records at a time.
struct LogContent {
  ByteBuffer bytes;
  std::vector<LogRecord> records;  // Views into the bytes.
  LogReadReport report;
};
Result<LogContent> readLogContent(FileSystem& fs, const LogPlace& place);
// The error for a bad record; it names the file and the record.
Status recordProblem(const LogPlace& place, const LogRecord& record, const Status& why);

// Writes the records of one batch to the file.
class LogBatch {
 public:
  LogBatch(WritableFile& file, std::uint64_t nextSequence)
      : file_(file), nextSequence_(nextSequence) {}

  // Writes a record; `build` appends its payload to the given buffer and returns a Status. Returns
  // the record as a reader would see it; its payload is valid until the next add().
  // kPayloadTooLarge past kRecordPayloadSizeMax.
  // REQUIRES: type < 128.
  template <typename Build>
  Result<LogRecord> add(std::uint8_t type, const Build& build) {
    if (Status status = checkRecordNumber(nextSequence_); !status.ok()) return status;
    out_.clear();
    beginRecord(out_, type, nextSequence_, isFirst_);
    if (Status built = build(out_); !built.ok()) return built;
    return finish(type);
  }

  // The number of the next record.
  std::uint64_t nextSequence() const { return nextSequence_; }

 private:
  Result<LogRecord> finish(std::uint8_t type);

  WritableFile& file_;
  std::uint64_t nextSequence_;
  bool isFirst_ = true;  // The first record is flagged: all records before the batch are on disk.
  ByteBuffer out_;
};

class AppendLog {
 public:
  using Write = std::function<Status(LogBatch&)>;

  // Touches no file until create(), open(), replace() or append() is called.
  AppendLog(FileSystem& fs, LogPlace place) : fs_(fs), place_(std::move(place)) {}

  // Makes the file with these framed records, synced. Fails if it exists. Can be retried.
  Status create(Bytes records = {});
  // Opens the file as it was read: `found` says where it ends. Syncs it, because the last batch may
  // have been written without a sync; from here on all read records are durable.
  Status open(const LogReadReport& found);
  // Replaces the file by one that `write` fills from number `firstSequence` on, even after a final
  // failure. kStorageUnavailable: nothing has changed. Any other failure is final: a restart may
  // find either file.
  Status replace(const Write& write, std::uint64_t firstSequence = 1);

  // Appends a batch and syncs; durable when ok. If the log is not open, append() first makes a new
  // file in place of an existing one.
  // kStorageUnavailable: nothing was appended, and a later call may succeed.
  Status append(const Write& write);

  // append() in two parts, for a caller that groups the framed records of many writers. Durable
  // only after sync().
  // REQUIRES: isOpen().
  Status appendRecords(Bytes records);
  // Does nothing if nothing was appended since the last sync.
  Status sync();
  // Cuts a torn tail now.
  Status cutTail();

  bool isOpen() const { return file_ != nullptr; }
  // True if all appended records are on disk.
  bool isSynced() const { return !isDirty_; }
  // The number of the next record of append().
  std::uint64_t nextSequence() const { return nextSequence_; }
  // The file's size in bytes; 0 while there is no file.
  std::uint64_t size() const { return file_ ? file_->size() : 0; }
  // The offset of a torn tail, if there is one.
  std::optional<std::uint64_t> tornAt() const { return tornAt_; }
  // The final failure, which every later append returns again; ok while there is none.
  const Status& failure() const { return failure_; }
  std::string path() const { return place_.path(); }

 private:
  Status settle(Status written, std::uint64_t size);
  Status writeTemporary(const LogPlace& temporary, const Write& write,
                        std::uint64_t& nextSequence) const;

  FileSystem& fs_;
  LogPlace place_;
  std::unique_ptr<WritableFile> file_;  // Null while there is no file.
  // For append(); callers number the records of appendRecords().
  std::uint64_t nextSequence_ = 1;
  std::optional<std::uint64_t> tornAt_;
  bool isDirty_ = false;
  Status failure_;
};

}  // namespace seriesdb
