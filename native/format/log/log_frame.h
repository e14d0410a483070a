// The layout of a log file, for the writer, the reader and the search behind damage.
// Callers use log/log_file.h. Little-endian; see docs/format/log.md.
//
//   header: magic (8) | file number (8) | crc32c of the 16 bytes before (4)
//   magic:  's' 'd' 'b' | kind (1) | version (1) | zero (3)
//   record: crc32c (4) | length (4) | type (1) | sequence (8) | payload (length)
//
// Ranges: kind is a LogKind; version is kVersion, the only one that readers accept; length is up to
// kRecordPayloadSizeMax; type is any, and its highest bit is kAfterSyncFlag; sequence is 1 to
// kSequenceMax, one above the record before it.
#pragma once

#include <cstdint>
#include <optional>

#include "common/base/bytes.h"
#include "format/log/log_file.h"

namespace seriesdb::log_frame {

inline constexpr std::uint8_t kVersion = 1;
inline constexpr std::size_t kMagicSize = 8;
inline constexpr std::size_t kVersionOffset = 4;  // Inside the magic.
inline constexpr std::size_t kHeaderCrcOffset = kMagicSize + 8;
inline constexpr std::size_t kHeaderSize = kHeaderCrcOffset + 4;

inline constexpr std::size_t kLengthOffset = 4;  // The checksum covers the bytes from here on.
inline constexpr std::size_t kTypeOffset = 8;
inline constexpr std::size_t kSequenceOffset = 9;
inline constexpr std::size_t kPayloadOffset = 17;
// A flag in the type: all earlier records were on disk before this one was written.
inline constexpr std::uint8_t kAfterSyncFlag = 0x80;

// The size of the record at `at` by its length field, if it is within the limit and within `log`.
// The content is not checked.
std::optional<std::size_t> plausibleSize(Bytes log, std::size_t at);

// The record at `at`, if it is complete and its checksum matches.
std::optional<LogRecord> recordAt(Bytes log, std::size_t at);

// The first offset at or after `from` where a valid record with a sequence above `sequence` begins.
// Takes O(n log n) time for any content, so no payload can delay a start.
std::optional<std::size_t> findRecord(Bytes log, std::size_t from, std::uint64_t sequence);

}  // namespace seriesdb::log_frame
