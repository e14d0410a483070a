// ROOT: the file that makes a directory a seriesdb database. See docs/format/README.md.
//
//   +-----------------+--------------+-----------+----------------------------------+-------------+
//   | "seriesdb" (8B) | version (4B) | unit (1B) | database id (16B), features (8B) | crc32c (4B) |
//   +-----------------+--------------+-----------+----------------------------------+-------------+
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>

#include "common/base/status.h"
#include "common/file/file_system.h"
#include "common/types/timestamp_unit.h"

namespace seriesdb {

// What tells a database from all others, copies of it among them. A backup has that of its
// database.
using DatabaseId = std::array<std::uint8_t, 16>;
DatabaseId makeDatabaseId();
std::string textOf(const DatabaseId& id);

// What a program must know of to read a directory, and what else to write to it. On disk: do not
// renumber. Bits of two fields, so that one number may stand in both.
enum RootFeature : std::uint32_t {
  // To write: REFS and objects of a database, and nothing else.
  kRootBackup = 1,
  // To read: files are still to come.
  kRootUnfinished = 1,
  // To read: series may be gone, and come back under another ref.
  kRootGoneSeries = 4,
  // To read: chunks may have values among decimals that are none.
  kRootSpecialValues = 8,
  // To read: records of CATALOG and REFS may be packed.
  kRootPackedRecords = 16,
};
// What every directory takes that this program writes.
inline constexpr std::uint32_t kRootWritten =
    kRootGoneSeries | kRootSpecialValues | kRootPackedRecords;

struct RootFacts {
  TimestampUnit unit = TimestampUnit::kMilliseconds;
  std::optional<DatabaseId> id;  // Random; none of a database of before.
  // Bits of RootFeature. A bit that nobody here knows is refused: what it stands for would be
  // misread, or lost by the next write.
  std::uint32_t toRead = 0;
  std::uint32_t toWrite = 0;

  bool isBackup() const { return (toWrite & kRootBackup) != 0; }
  bool isUnfinished() const { return (toRead & kRootUnfinished) != 0; }
};

// REQUIRES: an id. The features of every directory that this program writes are added.
Status writeRoot(FileSystem& fs, const std::string& directory, const RootFacts& facts);
// kStorageCorrupt when damaged, of a later version, or with a feature that nobody here knows.
Result<RootFacts> readRoot(FileSystem& fs, const std::string& directory);
// Whether it is whole, or seems to be, and of a later program; readRoot() says so then.
bool isLaterRoot(FileSystem& fs, const std::string& directory);
// kStorageCorrupt where writing takes a feature that nobody here knows.
Status checkFeatures(const RootFacts& facts, const std::string& directory);
// Whether a database in this state may be opened; kConfiguration says what it is instead.
Status checkOpenable(const RootFacts& facts, const std::string& directory, bool isReadOnly);

}  // namespace seriesdb
