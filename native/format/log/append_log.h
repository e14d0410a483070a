// A log file that is appended to in batches, each of which is there as a whole or not at all.
//
// What all of them have in common: the WAL's files, CATALOG, ANNOTATIONS, MANIFEST and REFS. A torn
// tail that was read is cut by the first batch, so that an opening that comes to nothing has
// changed nothing. A batch for which there is no room leaves the file as it was. Any other failure
// of a write is final, since the end of the file is then unknown, and so is that of a sync: the
// kernel may have dropped what was to be written, so that what a retry reports means nothing.
// Not thread-safe.
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

// A record is best closed once it has grown past this, far below kRecordPayloadSizeMax, which
// bounds the memory that writing and reading one take.
inline constexpr std::size_t kRecordSizeAimed = std::size_t{4} << 20;

// As readLog, of a log whose first record has number 1, at `place`. What ends the reading is told
// with file and record.
Result<LogReadReport> readWholeLog(FileSystem& fs, const LogPlace& place,
                                   const std::function<Status(const LogRecord&)>& onRecord);

// All records of such a log at once, for who looks at several of them at a time.
struct LogContent {
  ByteBuffer bytes;
  std::vector<LogRecord> records;  // Views into the bytes.
  LogReadReport report;
};
Result<LogContent> readLogContent(FileSystem& fs, const LogPlace& place);
// What is wrong with a record of it, told with file and record.
Status recordProblem(const LogPlace& place, const LogRecord& record, const Status& why);

// The records of one batch, on their way to the file.
class LogBatch {
 public:
  LogBatch(WritableFile& file, std::uint64_t nextSequence)
      : file_(file), nextSequence_(nextSequence) {}

  // Writes a record whose payload is what `build` appends to the buffer that it gets; `build`
  // returns a Status. Returned is the record as a reader would get it; its payload is valid until
  // the next one. kPayloadTooLarge past kRecordPayloadSizeMax.
  // REQUIRES: type < 128.
  template <typename Build>
  Result<LogRecord> add(std::uint8_t type, const Build& build) {
    if (Status status = checkRecordNumber(nextSequence_); !status.ok()) return status;
    out_.clear();
    beginRecord(out_, type, nextSequence_, isFirst_);
    if (Status built = build(out_); !built.ok()) return built;
    return finish(type);
  }

  // Of the next record.
  std::uint64_t nextSequence() const { return nextSequence_; }

 private:
  Result<LogRecord> finish(std::uint8_t type);

  WritableFile& file_;
  std::uint64_t nextSequence_;
  bool isFirst_ = true;  // All before the batch is on disk.
  ByteBuffer out_;
};

class AppendLog {
 public:
  using Write = std::function<Status(LogBatch&)>;

  // The log that is to be at `place`. Nothing is there, or looked at, until one of the three below.
  AppendLog(FileSystem& fs, LogPlace place) : fs_(fs), place_(std::move(place)) {}

  // Makes it with these framed records, synced. Fails where there is one. Can be tried again.
  Status create(Bytes records = {});
  // Opens it as it was read: `found` says where it ends. It is synced, since the last batch may
  // have been written only, and what was read counts as recorded from now on.
  Status open(const LogReadReport& found);
  // Puts one that `write` fills, from number `firstSequence` on, in the place of what is there,
  // also after a failure that was final. kStorageUnavailable: nothing has changed. Any other
  // failure is final: either may be what a restart finds.
  Status replace(const Write& write, std::uint64_t firstSequence = 1);

  // Appends a batch and syncs; durable when ok. One that is not open is made first, in the place of
  // what is there.
  // kStorageUnavailable: nothing was appended, and a later call may succeed.
  Status append(const Write& write);

  // The parts of it, for whom groups what many have framed. Durable after sync() only.
  // REQUIRES: isOpen().
  Status appendRecords(Bytes records);
  // Does nothing where nothing was appended since the last one.
  Status sync();
  // Cuts a torn tail now.
  Status cutTail();

  bool isOpen() const { return file_ != nullptr; }
  // Whether all that was appended is on disk.
  bool isSynced() const { return !isDirty_; }
  // Of the next record of append().
  std::uint64_t nextSequence() const { return nextSequence_; }
  // Of the file; 0 while there is none.
  std::uint64_t size() const { return file_ ? file_->size() : 0; }
  // Where a torn tail begins, when there is one.
  std::optional<std::uint64_t> tornAt() const { return tornAt_; }
  // The failure that is final, when there was one: every later append returns it again.
  const Status& failure() const { return failure_; }
  std::string path() const { return place_.path(); }

 private:
  Status settle(Status written, std::uint64_t size);
  Status writeTemporary(const LogPlace& temporary, const Write& write,
                        std::uint64_t& nextSequence) const;

  FileSystem& fs_;
  LogPlace place_;
  std::unique_ptr<WritableFile> file_;  // Null while there is none.
  std::uint64_t nextSequence_ = 1;      // Of append(); those of appendRecords() are the caller's.
  std::optional<std::uint64_t> tornAt_;
  bool isDirty_ = false;
  Status failure_;
};

}  // namespace seriesdb
