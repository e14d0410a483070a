// Opens a backup in a bucket: the files of one of its entries. Restore, Verification
// and Inspection read these files as those of a directory.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "bucket/bucket_files.h"
#include "common/base/status.h"

namespace seriesdb {

struct BucketOpening {
  std::string url;  // Such as "s3://name/prefix", without a slash at its end: for paths only.
  std::optional<std::uint64_t> entry;  // The number; none: the newest.
  // The caller wants all samples, so that a home's newest entry, whose log is left out, is refused.
  bool isLogNeeded = false;
};
struct OpenedBucket {
  std::uint64_t entry = 0;
  std::unique_ptr<BucketFiles> files;  // Below the directory `url`.
};
// The session must outlive the files. kIo: there is no backup. kConfiguration: it is no backup, its
// first run has not finished, the entry does not exist, or a newer program wrote it.
// kStorageCorrupt names a part that is damaged, or gone with an entry that is not kept any more.
Result<OpenedBucket> openBucket(StoreSession& session, const BucketOpening& opening);

}  // namespace seriesdb
