// The keys of a database in a bucket, below the prefix of its URL. No other file knows them.
//
//   ROOT                                the file of that name of a backup
//   spine-0a1b2c3d/000000000001         entries
//   log-0a1b2c3d/00000003/000000000001  groups: epoch, number
//   objects/ab/cdef…                    segments, named by the SHA-256 of their bytes
//   parts/ab/cdef…                      parts of REFS, named by the SHA-256 of their bytes
//
// The eight digits are the first four bytes of the database's id: a late request of another
// database that was here before meets other keys. Numbers are padded, so that a listing is in their
// order.
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "common/digest/sha256.h"
#include "common/types/database_id.h"

namespace seriesdb {

// The highest numbers that the padding has room for. Readers refuse higher ones.
inline constexpr std::uint64_t kEpochMax = 99'999'999;
inline constexpr std::uint64_t kChainNumberMax = 999'999'999'999;

// Where a group stands: both count from 1. Ordered as the log is replayed.
struct GroupPlace {
  std::uint64_t epoch = 0;
  std::uint64_t number = 0;
  friend auto operator<=>(const GroupPlace&, const GroupPlace&) = default;
};
struct EntryPlace {
  std::uint64_t number = 0;  // From 1.
  bool operator==(const EntryPlace&) const = default;
};
struct SegmentPlace {
  Sha256 hash;
  bool operator==(const SegmentPlace&) const = default;
};
struct PartPlace {
  Sha256 hash;
  bool operator==(const PartPlace&) const = default;
};
using BucketPlace = std::variant<EntryPlace, GroupPlace, SegmentPlace, PartPlace>;

inline constexpr std::string_view kBucketRoot = "ROOT";
// Prefixes for listings.
inline constexpr std::string_view kBucketSegments = "objects/";
// What is below it is for a moment or for people; a probe that was killed leaves its objects.
inline constexpr std::string_view kBucketNodes = "nodes/";
inline constexpr std::string_view kBucketParts = "parts/";

// Writes and reads the keys of one database.
class BucketLayout {
 public:
  explicit BucketLayout(const DatabaseId& id);

  // Folders end in a slash. Those of chains are for CreateChains::in(), too.
  const std::string& spineFolder() const { return spine_; }
  const std::string& logsFolder() const { return logs_; }  // The logs of all epochs.
  std::string logFolder(std::uint64_t epoch) const;

  // A number above its maximum gets a key that placeOf() refuses.
  std::string keyOf(const EntryPlace& place) const;
  std::string keyOf(const GroupPlace& place) const;
  std::string keyOf(const SegmentPlace& place) const;
  std::string keyOf(const PartPlace& place) const;

  // The place with exactly this key; nullopt for keys that keyOf() never writes. Only such keys may
  // be deleted: another one belongs to somebody else.
  std::optional<BucketPlace> placeOf(std::string_view key) const;

 private:
  std::string spine_;
  std::string logs_;
};

}  // namespace seriesdb
