// Backs a database up to a bucket, and reports in the lines of DatabaseCopy. The last line also has
// the number of the new entry, unless a file of the source was damaged; and `not_removed` with the
// reason if what no backup names could not be deleted, which the next one does:
//
//   {"kind":"end","status":"ok",…,"removed":1,"entry":7,"database_id":"…"}
//
//   ROOT     is created, or belongs to the same database
//   claim    fences a backup that still runs; not before the first backup is complete
//   listing  tells what is present, and what may be deleted
//   state    is taken after the listing: what is listed and not in it never comes back
//   objects  and parts of REFS are uploaded
//   entry    publishes them
//   sweep    deletes what no kept entry names
//
// An interrupted backup leaves the newest entry as it was, and the next one resumes it. So does one
// whose source has a damaged file: an entry never lacks a file. See docs/format/bucket.md.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>

#include "bucket/upload_sizes.h"
#include "common/file/file_system.h"
#include "query/answers/json_reader.h"
#include "storage/ledger/committed_files.h"
#include "storage/ledger/root_file.h"

namespace seriesdb {

class ObjectStore;
class Pauser;

// The file system, the store and the pauser must outlive the backup.
struct BucketBackupSource {
  FileSystem* fs;  // Not null.
  std::string directory;
  RootFacts root;                                // Of the database.
  std::function<Result<CommittedFiles>()> hold;  // Pins the committed files of the directory.
};
struct BucketBackupTarget {
  ObjectStore* store;  // Not null.
  Pauser* pauser;      // Not null. Stop it, if it can be stopped, to end a pause at once.
  std::string url;     // Such as "s3://name/prefix", for messages.
  std::string node;    // Who backs up: 1 to kNodeNameSizeMax bytes of printable ASCII.
  // So many of the newest backups stay restorable, this one included; at least 1.
  std::size_t keep = 1;
  UploadSizes sizes{};
};

// A backup that runs in the calls of next(), which fails so:
//
// kConfiguration: the bucket holds something else, or a newer state. kLocked: another backup
// claimed the bucket meanwhile. kStorageUnavailable: the bucket does not answer. kStorageCorrupt
// names REFS of the source, or an entry. kInvalidArgument: an option. kClosed: cancelled. Uploaded
// objects stay in any case. After a failure every later call returns it.
std::unique_ptr<JsonReader> backUpToBucket(BucketBackupSource source, BucketBackupTarget target);

}  // namespace seriesdb
