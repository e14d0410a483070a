// The files of one entry of a bucket, as a read-only file system: ROOT, REFS, and objects. So a
// restore and a verification read a bucket as they read a directory.
//
// kIo: a file is not there. kStorageUnavailable, kClosed: the bucket did not answer, which says
// nothing about the file.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "bucket/store_session.h"
#include "common/base/status.h"
#include "common/digest/sha256.h"
#include "common/file/read_only_file_system.h"

namespace seriesdb {

// The sizes in bytes of all segments in a bucket.
using BucketObjects = std::unordered_map<Sha256, std::uint64_t>;

// Of a listing of `objects/`. Keys of other forms are left out.
BucketObjects bucketObjectsIn(const std::vector<ListedObject>& listed);

// Any thread, if the session's store and pauser allow it.
class BucketFiles final : public ReadOnlyFiles {
 public:
  struct Content {
    std::string directory;  // What stands before the names, such as "s3://bucket/prefix".
    ByteBuffer root;
    ByteBuffer refs;
    BucketObjects objects;
  };
  // The session must outlive the files and all that was opened. A slash at the end of the directory
  // does not count.
  BucketFiles(StoreSession& session, Content content);
  ~BucketFiles() override;

  const std::string& directory() const { return content_.directory; }
  Bytes refs() const { return content_.refs; }
  const BucketObjects& objects() const { return content_.objects; }

  // Objects are read by blocks of 4 MiB, of which the last eight are held, for all files together:
  // a verification has every segment open. All files are valid as long as this object.
  Result<std::unique_ptr<ReadableFile>> openRead(const std::string& path) override;
  Result<ByteBuffer> readAll(const std::string& path) override;
  Result<bool> exists(const std::string& path) override;
  Result<std::vector<std::string>> list(const std::string& directory) override;
  // Entries never change, so nothing is locked.
  Result<std::unique_ptr<DirectoryLock>> lock(const std::string& path) override;
  // Always 0.
  Result<std::uint64_t> freeBytes(const std::string& path) override;

 private:
  class Blocks;

  // The name below the directory; empty for the directory itself and for paths beside it.
  std::string nameIn(const std::string& path) const;
  bool isDirectory(const std::string& path) const;
  Status checkGone(const Sha256& hash, const std::string& path);

  StoreSession& session_;
  const Content content_;
  const std::unique_ptr<Blocks> blocks_;
};

}  // namespace seriesdb
