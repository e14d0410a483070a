// Framing shared by the WAL, MANIFEST, CATALOG, ANNOTATIONS, REFS: checksummed records in a file.
//
//   file   = header record*           header = magic (8 B: "sdb" kind version…), file number u64,
//   crc32c record = crc32c u32 | length u32 | type u8 | sequence u64 | payload
//
// The CRC covers length, type, sequence and payload, so that a wrong length is caught and a run of
// zeros is not an empty record. Through a log the sequences rise by one, so that a record which is
// missing is noticed. See docs/format/log.md.
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
// No sequence, nor any other number that only grows, is higher; so that one more always fits.
inline constexpr std::uint64_t kSequenceMax = std::uint64_t{1} << 62;

// Whether a record may have this number. No reader takes another, so no writer writes one:
// kStorageUnavailable, which nothing but forged numbers comes to.
Status checkRecordNumber(std::uint64_t sequence);

// On disk: do not renumber. Types of records are each kind's own.
enum class LogKind : std::uint8_t {
  kWal = 1,
  kManifest = 2,
  kCatalog = 3,
  kAnnotations = 4,
  kRefs = 5,
};

struct LogRecord {
  std::uint8_t type;       // Below 128, since the highest bit is `isAfterSync`.
  std::uint64_t sequence;  // 1 to kSequenceMax.
  Bytes payload;           // Up to kRecordPayloadSizeMax. A view, valid during the callback.
  bool isAfterSync;  // All records before it were on disk before it was written.
  std::uint64_t offset;  // Of the payload, in the file.
};

// Appends a framed record to `out` (in memory). Lets the WAL group many records into one write.
// REQUIRES: type < 128, payload.size() <= kRecordPayloadSizeMax.
void appendRecord(ByteBuffer& out, std::uint8_t type, std::uint64_t sequence, Bytes payload);

// Same, when the payload is built in place: reserve the header with beginRecord, append the payload
// to `out`, then endRecord fills length and CRC. kPayloadTooLarge past kRecordPayloadSizeMax: `out`
// then ends where the record began.
// `isAfterSync` promises that all records before it were on disk before it was written.
std::size_t beginRecord(ByteBuffer& out, std::uint8_t type, std::uint64_t sequence,
                        bool isAfterSync);
Status endRecord(ByteBuffer& out, std::size_t begin);

// Of the kinds of which there is one file for ever.
inline constexpr std::uint64_t kOnlyFile = 1;

// Where a log is.
struct LogPlace {
  std::string directory;
  std::string name;
  LogKind kind;
  std::uint64_t number = kOnlyFile;  // In its header.

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
  std::uint64_t lastSequence = 0;   // The same.
  bool hasTornTail = false;         // Bytes after validSize, none of which was ever synced.
};

// The records of a log whose bytes are at hand, one after the other, for whom pauses between them.
class LogScan {
 public:
  // `log` must outlive it; `path` is only for messages.
  LogScan(Bytes log, std::string path, LogKind kind, std::uint64_t number);

  // The next record, whose payload is a view into the log; none at the end. Fails as readLog().
  Result<std::optional<LogRecord>> next();
  // Of what was read so far.
  const LogReadReport& report() const { return report_; }

 private:
  Status begin();

  const Bytes log_;
  const std::string path_;
  const LogKind kind_;
  const std::uint64_t number_;
  LogReadReport report_;
};

// Reads every record in order. A torn tail (nothing valid after it) is reported, not an error: the
// caller decides (the last WAL is cut, an earlier one is damage). A damaged record with a valid one
// after it that was written upon a sync, a bad header or a sequence that does not follow the one
// before it are kStorageCorrupt naming file and offset; a whole header of a later program is
// kConfiguration, so that nobody mends the file. A file shorter than its header counts as a
// torn tail with validSize 0. The callback may return an error, which ends the reading and is
// returned.
Result<LogReadReport> readLog(FileSystem& fs, const LogPlace& place,
                              const std::function<Status(const LogRecord&)>& onRecord);

}  // namespace seriesdb
