// The names on disk. No other file knows them.
//
//   DIR/ROOT                 format version, timestamp unit, id, requirements for opening
//   DIR/LOCK                 held with flock while the directory is open; contains the process id
//   DIR/SOCKET               socket of the running server for its owner; src/config/data-socket.ts
//   DIR/BUCKET               the claims of this directory, if a bucket is the database's home
//   DIR/RESERVE              disk space that a flush may use when the disk is full
//   DIR/MANIFEST             log of segment and floor records
//   DIR/CATALOG              log of series and descriptor definitions
//   DIR/ANNOTATIONS          log of annotations
//   DIR/wal/0000000001.wal   write-ahead log files, numbered without gaps
//   DIR/segments/0000000001.seg
//   DIR/objects/ab/cdef...   an object, named by the SHA-256 of its bytes: two hexadecimal digits,
//                            which are its folder, and 62
//   DIR/objects/tmp/0000000001  an unfinished object
//   DIR/REFS                 log of commits, of their objects except segments, and of their names
//   DIR/refs/tags/NAME       a name of a commit that is not in REFS yet
//   DIR/quarantine/ndjson.log  rejected lines of lenient requests; ndjson.log.1: the previous file
//   DIR/quarantine/NAME.damaged  a file that was taken out of use, and NAME.damaged.1, …
//   DIR/quarantine/bucket-0a1b2c3d/  a database in whose place that of a bucket came
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "common/digest/sha256.h"

namespace seriesdb::file_names {

inline constexpr std::string_view kRoot = "ROOT";
inline constexpr std::string_view kLock = "LOCK";
inline constexpr std::string_view kBucket = "BUCKET";
inline constexpr std::string_view kReserve = "RESERVE";
inline constexpr std::string_view kManifest = "MANIFEST";
inline constexpr std::string_view kCatalog = "CATALOG";
inline constexpr std::string_view kAnnotations = "ANNOTATIONS";
inline constexpr std::string_view kRefs = "REFS";
inline constexpr std::string_view kTagsParent = "refs";
inline constexpr std::string_view kTagDirectory = "refs/tags";
inline constexpr std::string_view kWalDirectory = "wal";
inline constexpr std::string_view kSegmentDirectory = "segments";
inline constexpr std::string_view kObjectDirectory = "objects";
inline constexpr std::string_view kUnfinishedObjectDirectory = "tmp";  // In kObjectDirectory.
inline constexpr std::string_view kQuarantineDirectory = "quarantine";
inline constexpr std::string_view kRejectFile = "ndjson.log";
inline constexpr std::string_view kDamagedSuffix = ".damaged";  // In quarantine.
inline constexpr std::string_view kAsidePrefix = "bucket-";     // Of a folder in quarantine.
inline constexpr std::string_view kOlderSuffix = ".1";

std::string walFile(std::uint64_t number);      // "0000000001.wal"
std::string segmentFile(std::uint64_t number);  // "0000000001.seg"
// The number in a name of that form; nullopt for any other name.
std::optional<std::uint64_t> walNumber(std::string_view name);
std::optional<std::uint64_t> segmentNumber(std::string_view name);
// An object's folder in kObjectDirectory, and its name there.
std::string objectFolder(const Sha256& hash);  // "ab"
std::string objectFile(const Sha256& hash);    // 62 digits
bool isObjectFolder(std::string_view name);
// The hash in two names of that form; nullopt for any others.
std::optional<Sha256> objectHash(std::string_view folder, std::string_view name);
std::string unfinishedObjectFile(std::uint64_t number);  // "0000000001"
std::optional<std::uint64_t> unfinishedObjectNumber(std::string_view name);
// True if a tag, and so a file, may have this name.
bool isSnapshotName(std::string_view name);
// "a/b"
std::string join(std::string_view directory, std::string_view name);

}  // namespace seriesdb::file_names
