// BUCKET: the file by which a directory knows that its database has its home in a bucket, and which
// claims there are its own.
//
//   file = "sdbb" | version u8 | state u8 | 0 u16 | database id 16 | count u32 | {nonce 16}*
//        | crc32c u32 of all bytes before it
//
// Little-endian; see docs/format/README.md.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "bucket/chain_link.h"
#include "common/base/bytes.h"
#include "common/base/status.h"
#include "common/file/file_system.h"
#include "common/types/database_id.h"

namespace seriesdb {

// The most nonces that BUCKET lists.
inline constexpr std::size_t kBucketNoncesMax = 64;

// On disk: do not renumber.
enum class BucketState : std::uint8_t {
  kWhole = 1,     // The directory has a database.
  kFirst = 2,     // The same, and none of its claims is known yet: it fills the bucket.
  kAside = 3,     // The database that stood here is being moved to quarantine.
  kFetching = 4,  // What stands here is a part of the bucket's database, and may be deleted.
};
inline constexpr std::uint8_t kBucketStateMax = 4;

// Of a directory in the last two states, only a start with its bucket may make a database again.
constexpr bool isUnfinished(BucketState state) {
  return state == BucketState::kAside || state == BucketState::kFetching;
}

struct BucketFile {
  BucketState state = BucketState::kWhole;
  DatabaseId database{};
  // Of the last claim that is known as this directory's, and of all that were tried since, the
  // oldest first. At most kBucketNoncesMax.
  std::vector<ProcessNonce> nonces;
  bool operator==(const BucketFile&) const = default;
};

// kInvalidArgument for too many nonces: the caller has to shorten the list.
Result<ByteBuffer> encodeBucketFile(const BucketFile& file);
// kStorageCorrupt for bytes that encodeBucketFile() cannot have written, kConfiguration for those
// of a newer program. The message begins with `path`.
Result<BucketFile> decodeBucketFile(Bytes bytes, const std::string& path);

// Nullopt: there is no such file. Fails as decodeBucketFile() and FileSystem.
Result<std::optional<BucketFile>> readBucketFile(FileSystem& fs, const std::string& directory);
// Replaces the file as a whole, durably when ok. Fails as encodeBucketFile() and FileSystem.
Status writeBucketFile(FileSystem& fs, const std::string& directory, const BucketFile& file);
// Removes the file, durably when ok. A missing file is fine.
Status removeBucketFile(FileSystem& fs, const std::string& directory);

}  // namespace seriesdb
