// Brings a database from a bucket into a directory that has none: a start from nothing.
//
//   1  ROOT        marked as unfinished, so that no program opens the directory
//   2  REFS        from its parts, byte for byte
//   3  wal/        from the groups of the log, in the bytes and the files that they had
//   4  objects/    every segment that REFS names, each checked by its hash
//   5  ROOT        in its final form
//
// MANIFEST, CATALOG and ANNOTATIONS are not made: the first start makes them from REFS, in the
// default modes (dual_write, primary).
//
// What the caller does, with the directory locked from the first step to the last:
//
//   before   sets a database that stands there aside; writes BUCKET with kFetching; then claims the
//            database in the bucket
//   after    writes BUCKET with kWhole, and only then opens the engine
//
// A directory whose BUCKET says kFetching is never opened, not even if its ROOT is final.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "bucket/entry.h"
#include "bucket/store_session.h"
#include "common/base/status.h"
#include "common/file/file_system.h"
#include "shipping/segment_fetch.h"
#include "storage/ledger/root_file.h"

namespace seriesdb {

struct FetchSource {
  StoreSession& session;
  // The caller's claim, which is known to be in the spine: nobody else trims its log any more.
  const SpineEntry& claim;
  RootFacts root;  // Of the bucket: the unit and the id. The claim has the features.
  // The commits before the head are brought, too, as far as they were replaced less than this ago
  // and the bucket has all their segments. Null: all; 0: none.
  std::optional<std::uint64_t> historyKeepMs;
  FetchWatch watch;  // May be null.
};

// Brings the database of `claim`. After a failure or a crash the next call goes on, also with a
// later claim: segments that are whole stay, all else is brought anew.
//
// kStorageCorrupt names the part, the group, the segment or the entry that is missing, damaged or
// contradicts another. kConfiguration: a newer program wrote it. kInvalidArgument, and nothing
// changes: the id is not the claim's, or BUCKET does not say kFetching for it.
// kStorageUnavailable: the disk is full, or the bucket did not answer. kClosed: the watch or the
// pauser ended it. Otherwise fails as FileSystem.
Status fetchDatabase(const FetchSource& source, FileSystem& fs, const std::string& directory);

}  // namespace seriesdb
