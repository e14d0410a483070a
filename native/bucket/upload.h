// Uploads a file that is named by its SHA-256, step by step. A file of up to 64 MiB is one put; a
// larger one is sent in parts of 16 MiB. Nothing of a file whose bytes have another hash becomes
// visible.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "bucket/store_session.h"
#include "bucket/upload_sizes.h"
#include "common/base/status.h"
#include "common/digest/sha256.h"
#include "common/file/file_system.h"

namespace seriesdb {

// One thread at a time. The session and the file must outlive it.
class ObjectUpload {
 public:
  struct Target {
    std::string key;
    Sha256 hash;  // Of all bytes of the file.
    UploadSizes sizes{};
  };
  ObjectUpload(StoreSession& session, const ReadableFile& file, Target target);
  // Drops what was begun and not ended, by one request; what it misses is the bucket's to expire.
  ~ObjectUpload();
  ObjectUpload(const ObjectUpload&) = delete;
  ObjectUpload& operator=(const ObjectUpload&) = delete;

  // Sends the next part. kStorageCorrupt, kIo: the file is damaged, and the message does not name
  // it. kExhausted: it could not be read now. kStorageUnavailable, kClosed: as StoreSession. After
  // a failure the upload is over. REQUIRES: !isDone(), and no call failed.
  Status next();
  bool isDone() const { return isDone_; }
  std::uint64_t sentBytes() const { return sent_; }

 private:
  Status sendWhole();
  Status sendPart();
  Status end();
  Result<bool> isThere();
  StoreRequest request(StoreOp op) const;

  StoreSession& session_;
  const ReadableFile& file_;
  const Target target_;
  std::string id_;  // Empty: no upload in parts has begun.
  std::vector<std::string> tags_;
  Sha256Hasher hasher_;
  ByteBuffer bytes_;
  std::uint64_t sent_ = 0;
  bool isDone_ = false;
};

}  // namespace seriesdb
