// ROOT: the file that makes a directory a seriesdb database. See docs/format/README.md.
//
//   +-----------------+--------------+-----------+----------------------------------+-------------+
//   | "seriesdb" (8B) | version (4B) | unit (1B) | database id (16B), features (8B) | crc32c (4B) |
//   +-----------------+--------------+-----------+----------------------------------+-------------+
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "common/base/bytes.h"
#include "common/base/status.h"
#include "common/file/file_system.h"
#include "common/types/database_id.h"
#include "common/types/timestamp_unit.h"

namespace seriesdb {

DatabaseId makeDatabaseId();
std::string textOf(const DatabaseId& id);

// The features that a program must know to read or to write a directory. On disk: do not renumber.
// Each bit belongs to one of two fields, so both fields may use the same number.
enum RootFeature : std::uint32_t {
  // toWrite: a backup, with REFS and objects of a database only.
  kRootBackup = 1,
  // toRead: files are still missing.
  kRootUnfinished = 1,
  // toRead: series may be gone, and may return under another ref.
  kRootGoneSeries = 4,
  // toRead: decimal chunks may have special values.
  kRootSpecialValues = 8,
  // toRead: records of CATALOG and REFS may be packed.
  kRootPackedRecords = 16,
};
// The toRead features of every directory that this program writes.
inline constexpr std::uint32_t kRootWritten =
    kRootGoneSeries | kRootSpecialValues | kRootPackedRecords;

struct RootFacts {
  TimestampUnit unit = TimestampUnit::kMilliseconds;
  std::optional<DatabaseId> id;  // Random; null in databases of the first version.
  // Bits of RootFeature. Unknown bits are refused: this program would misread such files, or lose
  // data on a write.
  std::uint32_t toRead = 0;
  std::uint32_t toWrite = 0;

  bool isBackup() const { return (toWrite & kRootBackup) != 0; }
  bool isUnfinished() const { return (toRead & kRootUnfinished) != 0; }
};

// The bytes of ROOT, which writeRoot() writes.
ByteBuffer encodeRoot(const RootFacts& facts);
// Fails as readRoot(); `path` is for messages.
Result<RootFacts> parseRoot(Bytes bytes, const std::string& path);

// The bits that this program knows.
inline constexpr std::uint32_t kRootKnownToRead = kRootUnfinished | kRootWritten;
inline constexpr std::uint32_t kRootKnownToWrite = kRootBackup;

// Adds the features of every directory that this program writes. REQUIRES: an id.
Status writeRoot(FileSystem& fs, const std::string& directory, const RootFacts& facts);
// kStorageCorrupt if ROOT is damaged, of a later version, or has an unknown feature.
Result<RootFacts> readRoot(FileSystem& fs, const std::string& directory);
// True if ROOT seems whole and a later version wrote it. readRoot() then says so.
bool isLaterRoot(FileSystem& fs, const std::string& directory);
// kStorageCorrupt if writing requires an unknown feature.
Status checkFeatures(const RootFacts& facts, const std::string& directory);
// kConfiguration if a database in this state must not be opened; the message says why.
Status checkOpenable(const RootFacts& facts, const std::string& directory, bool isReadOnly);

}  // namespace seriesdb
