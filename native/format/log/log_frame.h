// The layout of a log file, for the writer, the reader and the search behind a damage.
// Callers use log/log_file.h. Little-endian; see docs/format/log.md.
//
//   header: magic (8) | file number (8) | crc32c of the 16 bytes before (4)
//   magic:  's' 'd' 'b' | kind (1) | version (1) | zero (3)
//   record: crc32c (4) | length (4) | type (1) | sequence (8) | payload (length)
//
// Ranges: kind as LogKind; version kVersion, the only one that is read; length up to
// kRecordPayloadSizeMax; type any, of which the highest bit is kAfterSyncFlag; sequence 1 to
// kSequenceMax, one above that of the record before.
#pragma once

#include <cstdint>
#include <optional>

#include "common/base/bytes.h"
#include "format/log/log_file.h"

namespace seriesdb::log_frame {

inline constexpr std::uint8_t kVersion = 1;
inline constexpr std::size_t kMagicSize = 8;
inline constexpr std::size_t kVersionOffset = 4;  // In the magic.
inline constexpr std::size_t kHeaderCrcOffset = kMagicSize + 8;
inline constexpr std::size_t kHeaderSize = kHeaderCrcOffset + 4;

inline constexpr std::size_t kLengthOffset = 4;  // Also where the checksum's span begins.
inline constexpr std::size_t kTypeOffset = 8;
inline constexpr std::size_t kSequenceOffset = 9;
inline constexpr std::size_t kPayloadOffset = 17;
// In the type: all records before this one were on disk before it was written.
inline constexpr std::uint8_t kAfterSyncFlag = 0x80;

// The size of the record at `at` as its length says, when that is within the limit and within
// `log`. Nothing of the content is checked.
std::optional<std::size_t> plausibleSize(Bytes log, std::size_t at);

// The record at `at` when it is whole and its checksum holds.
std::optional<LogRecord> recordAt(Bytes log, std::size_t at);

// The first offset from `from` on at which a valid record with a sequence above `sequence` begins.
// Its time is O(n log n) for any content, so that no payload can be made to delay a start.
std::optional<std::size_t> findRecord(Bytes log, std::size_t from, std::uint64_t sequence);

}  // namespace seriesdb::log_frame
