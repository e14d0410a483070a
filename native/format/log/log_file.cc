#include "format/log/log_file.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "common/digest/checksum.h"
#include "common/types/file_names.h"
#include "format/log/log_frame.h"

namespace seriesdb {

std::size_t beginRecord(ByteBuffer& out, std::uint8_t type, std::uint64_t sequence,
                        bool isAfterSync) {
  CHECK(sequence > 0);  // Zero means "no record" in LogReadReport.
  CHECK(type < log_frame::kAfterSyncFlag);
  const std::size_t begin = out.size();
  out.resize(begin + log_frame::kPayloadOffset);
  out[begin + log_frame::kTypeOffset] = isAfterSync ? type | log_frame::kAfterSyncFlag : type;
  storeLe(out.data() + begin + log_frame::kSequenceOffset, sequence);
  return begin;
}

Status endRecord(ByteBuffer& out, std::size_t begin) {
  CHECK(out.size() >= log_frame::kPayloadOffset && begin <= out.size() - log_frame::kPayloadOffset);
  const std::size_t length = out.size() - begin - log_frame::kPayloadOffset;
  if (length > kRecordPayloadSizeMax) {
    out.resize(begin);
    return {StatusCode::kPayloadTooLarge,
            "a record of " + std::to_string(length) + " bytes is too large for a log"};
  }
  storeLe(out.data() + begin + log_frame::kLengthOffset, static_cast<std::uint32_t>(length));
  const Bytes covered = Bytes(out).subspan(begin + log_frame::kLengthOffset);
  storeLe(out.data() + begin, crc32c(covered));
  return {};
}

void appendRecord(ByteBuffer& out, std::uint8_t type, std::uint64_t sequence, Bytes payload) {
  out.reserve(out.size() + log_frame::kPayloadOffset + payload.size());
  const std::size_t begin = beginRecord(out, type, sequence, true);
  appendBytes(out, payload);
  CHECK(endRecord(out, begin).ok());
}

namespace {

ByteBuffer makeHeader(LogKind kind, std::uint64_t number) {
  ByteBuffer header{'s', 'd', 'b', static_cast<std::uint8_t>(kind), log_frame::kVersion, 0, 0, 0};
  appendLe(header, number);
  appendLe(header, crc32c(header));
  return header;
}

Status writeBegin(FileSystem& fs, WritableFile& file, const std::string& directory, Bytes begin) {
  Status status = file.append(begin);
  if (status.ok()) status = file.sync();
  if (status.ok()) status = fs.syncDirectory(directory);
  return status;
}

}  // namespace

std::string LogPlace::path() const { return file_names::join(directory, name); }

Result<std::unique_ptr<WritableFile>> createLog(FileSystem& fs, const LogPlace& place,
                                                Bytes records) {
  const std::string path = place.path();
  auto file = fs.create(path);
  if (!file.ok()) return file;
  ByteBuffer begin = makeHeader(place.kind, place.number);
  appendBytes(begin, records);
  Status written = writeBegin(fs, *file.value(), place.directory, begin);
  if (written.ok()) return file;
  // Remove the file, so that the caller can retry under the same name. If this fails too, the next
  // open finds a log without records, which is harmless.
  static_cast<void>(fs.remove(path));
  return written;
}

namespace {

Status damaged(const std::string& path, std::size_t offset, std::string_view what) {
  std::string message = path + ": ";
  message += what;
  message += " at offset " + std::to_string(offset);
  return Status::corrupt(std::move(message));
}

bool isZero(Bytes bytes) {
  return std::all_of(bytes.begin(), bytes.end(), [](std::uint8_t byte) { return byte == 0; });
}

// REQUIRES: a whole header in `log`.
Status checkHeader(Bytes log, const std::string& path, LogKind kind, std::uint64_t number) {
  const Bytes header = log.first(log_frame::kHeaderSize);
  const ByteBuffer expected = makeHeader(kind, number);
  if (std::equal(header.begin(), header.end(), expected.begin())) return {};

  const auto crc = loadLe<std::uint32_t>(header.data() + log_frame::kHeaderCrcOffset);
  if (crc32c(header.first(log_frame::kHeaderCrcOffset)) != crc) {
    return damaged(path, 0, "the log header is damaged");
  }
  if (!std::equal(header.begin(), header.begin() + 4, expected.begin())) {
    return damaged(path, 0, "not this kind of log file");
  }
  const std::uint8_t version = header[log_frame::kVersionOffset];
  if (version > log_frame::kVersion) {
    return {StatusCode::kConfiguration,
            path + ": log version " + std::to_string(version) +
                " was written by a newer seriesdb; this one reads version " +
                std::to_string(log_frame::kVersion)};
  }
  if (version != log_frame::kVersion) {
    return damaged(path, log_frame::kVersionOffset,
                   "unknown log version " + std::to_string(version));
  }
  const auto found = loadLe<std::uint64_t>(header.data() + log_frame::kMagicSize);
  if (found != number) {
    return damaged(
        path, log_frame::kMagicSize,
        "file number " + std::to_string(found) + " instead of " + std::to_string(number));
  }
  return damaged(path, 5, "unknown flags in the log header");
}

// Tells a torn tail, which is fine, from damage. A damaged record is damage if the writer synced it
// before it wrote a later record. Unsynced writes may reach the disk in any order, so a later
// record alone proves nothing.
Status checkTail(Bytes log, const std::string& path, const LogReadReport& report) {
  const auto bad = static_cast<std::size_t>(report.validSize);
  auto next = log_frame::findRecord(log, bad + 1, report.lastSequence);
  while (next.has_value()) {
    const auto record = log_frame::recordAt(log, *next);
    if (!record.has_value()) {
      next = log_frame::findRecord(log, *next + 1, report.lastSequence);
      continue;
    }
    if (record->isAfterSync) {
      return damaged(
          path, bad,
          "a damaged record (a valid one follows at offset " + std::to_string(*next) + ") begins");
    }
    next = *next + log_frame::kPayloadOffset + record->payload.size();
  }
  return {};
}

// All logs number their records without a gap. The number of a failed append, or of a record in a
// torn tail, goes to the next record.
Status checkSequence(const LogRecord& record, const LogReadReport& before,
                     const std::string& path) {
  const auto at = static_cast<std::size_t>(before.validSize);
  if (!checkRecordNumber(record.sequence).ok()) {
    return damaged(path, at, "an impossible sequence");
  }
  if (before.recordCount == 0 || record.sequence == before.lastSequence + 1) return {};
  return damaged(path, at,
                 "record " + std::to_string(record.sequence) + " instead of " +
                     std::to_string(before.lastSequence + 1));
}

}  // namespace

Status checkRecordNumber(std::uint64_t sequence) {
  if (sequence != 0 && sequence <= kSequenceMax) return {};
  return {StatusCode::kStorageUnavailable, "the record sequence numbers are exhausted"};
}

LogScan::LogScan(Bytes log, std::string path, LogKind kind, std::uint64_t number)
    : log_(log), path_(std::move(path)), kind_(kind), number_(number) {
  report_.fileSize = log.size();
}

// A crash inside createLog leaves a file that is too short or all zeros.
Status LogScan::begin() {
  if (log_.size() < log_frame::kHeaderSize || isZero(log_)) {
    report_.hasTornTail = true;
    return {};
  }
  Status header = checkHeader(log_, path_, kind_, number_);
  if (header.ok()) report_.validSize = log_frame::kHeaderSize;
  return header;
}

Result<std::optional<LogRecord>> LogScan::next() {
  if (report_.validSize == 0 && !report_.hasTornTail) {
    if (Status begun = begin(); !begun.ok()) return begun;
  }
  if (report_.hasTornTail || report_.validSize == log_.size()) return std::optional<LogRecord>();
  auto record = log_frame::recordAt(log_, static_cast<std::size_t>(report_.validSize));
  if (!record.has_value()) {
    report_.hasTornTail = true;
    if (Status tail = checkTail(log_, path_, report_); !tail.ok()) return tail;
    return std::optional<LogRecord>();
  }
  if (Status follows = checkSequence(*record, report_, path_); !follows.ok()) return follows;
  report_.validSize += log_frame::kPayloadOffset + record->payload.size();
  if (++report_.recordCount == 1) report_.firstSequence = record->sequence;
  report_.lastSequence = record->sequence;
  return record;
}

Result<LogReadReport> readLog(FileSystem& fs, const LogPlace& place,
                              const std::function<Status(const LogRecord&)>& onRecord) {
  const std::string path = place.path();
  // Not mapped: a bad sector must become a Status, not a signal.
  const auto content = fs.readAll(path);
  if (!content.ok()) return content.status();
  LogScan scan(content.value(), path, place.kind, place.number);
  for (;;) {
    const auto record = scan.next();
    if (!record.ok()) return record.status();
    if (!record.value()) return scan.report();
    Status taken = onRecord(*record.value());
    if (!taken.ok()) return taken;
  }
}

}  // namespace seriesdb
