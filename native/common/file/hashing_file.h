// A new file that is named by its content. It is hashed as it is written, so it need not be read
// again. A failure is final: the content on disk is then unknown, and a hash cannot be rolled back.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>

#include "common/digest/sha256.h"
#include "common/file/file_system.h"

namespace seriesdb {

// Hashes all bytes of an existing file. Calls `onBytes` with the bytes read so far after each MiB;
// its failure ends the reading. If a read fails, the message does not name the file.
Result<Sha256> hashOf(const ReadableFile& file,
                      const std::function<Status(std::uint64_t bytes)>& onBytes);

// Not thread-safe.
class HashingFile {
 public:
  // REQUIRES: `file` is empty.
  explicit HashingFile(std::unique_ptr<WritableFile> file);

  // After a failure every later call returns that failure.
  Status append(Bytes bytes);
  // Syncs all bytes (fdatasync), closes the file and returns its hash. Call once.
  Result<Sha256> finish();

 private:
  std::unique_ptr<WritableFile> file_;  // Null once it is finished.
  Sha256Hasher hasher_;
  Status failure_;
};

}  // namespace seriesdb
