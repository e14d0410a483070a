// Every name on disk, and nothing else knows them.
//
//   DIR/ROOT                 format version, timestamp unit, creation facts; written once
//   DIR/LOCK                 held with flock while the directory is open; contains the process id
//   DIR/MANIFEST             log of segment and floor records
//   DIR/CATALOG              log of series and descriptor definitions
//   DIR/wal/0000000001.wal   write-ahead log files, numbered without gaps
//   DIR/segments/0000000001.seg
//   DIR/quarantine/ndjson.log  rejected lines of lenient requests
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace seriesdb::file_names {

inline constexpr std::string_view kRoot = "ROOT";
inline constexpr std::string_view kLock = "LOCK";
inline constexpr std::string_view kReserve = "RESERVE";
inline constexpr std::string_view kManifest = "MANIFEST";
inline constexpr std::string_view kCatalog = "CATALOG";
inline constexpr std::string_view kAnnotations = "ANNOTATIONS";
inline constexpr std::string_view kWalDirectory = "wal";
inline constexpr std::string_view kSegmentDirectory = "segments";
inline constexpr std::string_view kQuarantineDirectory = "quarantine";
inline constexpr std::string_view kQuarantineFile = "ndjson.log";
inline constexpr std::string_view kOlderSuffix = ".1";
inline constexpr std::string_view kTemporarySuffix = ".tmp";

std::string walFile(std::uint64_t number);      // "0000000001.wal"
std::string segmentFile(std::uint64_t number);  // "0000000001.seg"
// The number in a name of that form; nothing for any other name.
std::optional<std::uint64_t> walNumber(std::string_view name);
std::optional<std::uint64_t> segmentNumber(std::string_view name);
// "a/b"
std::string join(std::string_view directory, std::string_view name);

}  // namespace seriesdb::file_names
