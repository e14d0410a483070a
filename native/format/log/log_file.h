// Framing shared by the WAL, MANIFEST, CATALOG, ANNOTATIONS and REFS: checksummed records in a
// file.
//
//   file   = header record*
//   header = magic (8 B: "sdb" kind version…), file number u64, crc32c
//   record = crc32c u32 | length u32 | type u8 | sequence u64 | payload
//
// The CRC covers length, type, sequence and payload. So a wrong length is detected, and a run of
// zeros is not an empty record. Sequences rise by one through a log, so a missing record is
// detected. See docs/format/log.md.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "common/base/bytes.h"
#include "common/base/status.h"
#include "common/file/file_system.h"

namespace seriesdb {

inline constexpr std::uint32_t kRecordPayloadSizeMax = 1u << 30;
// The highest sequence, and the highest value of any other number that only grows. Adding one more
// never overflows.
inline constexpr std::uint64_t kSequenceMax = std::uint64_t{1} << 62;

// Checks whether a record may have this number. Readers refuse any other, so writers never write
// one. kStorageUnavailable, which only forged numbers can cause.
Status checkRecordNumber(std::uint64_t sequence);

// On disk: do not renumber. Each kind has its own record types.
enum class LogKind : std::uint8_t {
  kWal = 1,
  kManifest = 2,
  kCatalog = 3,
  kAnnotations = 4,
  kRefs = 5,
};

struct LogRecord {
  std::uint8_t type;       // Below 128: the highest bit is `isAfterSync`.
  std::uint64_t sequence;  // 1 to kSequenceMax.
  Bytes payload;           // Up to kRecordPayloadSizeMax. A view, valid during the callback.
  bool isAfterSync;        // True if all earlier records were on disk before this one was written.
  std::uint64_t offset;    // Offset of the payload in the file.
};

// Appends a framed record to `out`, in memory, so that the WAL can group many records into one
// write.
// REQUIRES: type < 128, payload.size() <= kRecordPayloadSizeMax.
void appendRecord(ByteBuffer& out, std::uint8_t type, std::uint64_t sequence, Bytes payload);

// Builds a record in place. beginRecord reserves the header, the caller appends the payload to
// `out`, and endRecord fills in length and CRC. If the payload exceeds kRecordPayloadSizeMax:
// kPayloadTooLarge, and `out` is cut back to the record's start.
// `isAfterSync` promises that all earlier records were on disk before this one is written.
std::size_t beginRecord(ByteBuffer& out, std::uint8_t type, std::uint64_t sequence,
                        bool isAfterSync);
Status endRecord(ByteBuffer& out, std::size_t begin);

// The file number of the log kinds that have a single file.
inline constexpr std::uint64_t kOnlyFile = 1;

// The location and identity of a log file.
struct LogPlace {
  std::string directory;
  std::string name;
  LogKind kind;
  std::uint64_t number = kOnlyFile;  // The file number in its header.

  std::string path() const;
};

// Makes a new log file with its header and these framed records, synced (file and directory).
Result<std::unique_ptr<WritableFile>> createLog(FileSystem& fs, const LogPlace& place,
                                                Bytes records = {});

struct LogReadReport {
  std::uint64_t validSize = 0;  // The size of the file up to the last good record.
  std::uint64_t fileSize = 0;
  std::uint64_t recordCount = 0;
  std::uint64_t firstSequence = 0;  // 0 when there is no record.
  std::uint64_t lastSequence = 0;   // 0 when there is no record.
  bool hasTornTail = false;         // True if unsynced bytes follow validSize.
};

// Reads the records of a log in memory one after the other, for callers that pause in between.
class LogScan {
 public:
  // `log` must outlive the scan; `path` is only for messages.
  LogScan(Bytes log, std::string path, LogKind kind, std::uint64_t number);

  // The next record, whose payload is a view into the log; nullopt at the end. Fails as readLog().
  Result<std::optional<LogRecord>> next();
  // The report on the records read so far.
  const LogReadReport& report() const { return report_; }

 private:
  Status begin();

  const Bytes log_;
  const std::string path_;
  const LogKind kind_;
  const std::uint64_t number_;
  LogReadReport report_;
};

// Reads every record in order. A torn tail (nothing valid after it) is reported and is no error.
// The caller decides: it cuts the tail of the last WAL file; in an earlier file a tail is damage.
// kStorageCorrupt, with file and offset: a damaged record that an after-sync record follows, a bad
// header, or a gap in the sequences. kConfiguration: an intact header of a newer program; nothing
// may repair such a file. A file shorter than its header counts as a torn tail with validSize 0. An
// error of the callback ends the reading and is returned.
Result<LogReadReport> readLog(FileSystem& fs, const LogPlace& place,
                              const std::function<Status(const LogRecord&)>& onRecord);

}  // namespace seriesdb
