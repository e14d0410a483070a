// Whether a directory may go on as the database of a bucket, or the bucket's state must replace it.
//
// The directory goes on only if it has all that the bucket has: the newest entry is its own, its
// log reaches as far as the bucket's, and its REFS contains the entry's state. A directory that was
// copied back, cloned or left behind fails one of these. What the bucket has and a directory lacks
// stays so, whoever claims next, so a directory that fails may be set aside before the claim.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "bucket/spine.h"
#include "bucket/store_session.h"
#include "common/base/status.h"
#include "common/file/file_system.h"
#include "bucket/bucket_file.h"
#include "shipping/wal_tail.h"

namespace seriesdb {

// What the log of the bucket says to its next owner.
struct BucketLog {
  std::uint64_t sequence = 0;                   // The last one in the bucket, or the floor's.
  std::map<std::uint64_t, GroupPlace> files;    // Where WAL files begin, by their numbers.
};

struct DirectoryVerdict {
  BucketLog log;
  // Where the directory's log goes on behind the bucket's; nullopt: the bucket wins.
  std::optional<WalPlace> place;
  std::string reason;  // Why the bucket wins; the end of a sentence.
};

struct TestedDirectory {
  FileSystem& fs;
  std::string directory;
  const BucketFile* file;  // Null: no database stands in the directory.
};

// `claim` is the one that is about to follow `newest`. Reads all groups from its floor on; fails as
// visitGroups(), and as the readers of the directory's files.
Result<DirectoryVerdict> testDirectory(StoreSession& session, const FoundEntry& newest,
                                       const SpineEntry& claim, const TestedDirectory& tested);

}  // namespace seriesdb
