// A new file that gets its name from its content: it is hashed as it is written, so that nobody
// reads it again. A failure is final, because it leaves on disk what nobody knows; there is no way
// back to less, because a hash has none.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>

#include "common/digest/sha256.h"
#include "common/file/file_system.h"

namespace seriesdb {

// Of all bytes of a file that is there. `onBytes` is told how many were read so far, after each
// MiB, and what it fails with ends the reading. The message of a read that failed does not name the
// file.
Result<Sha256> hashOf(const ReadableFile& file,
                      const std::function<Status(std::uint64_t bytes)>& onBytes);

// Not thread-safe.
class HashingFile {
 public:
  // REQUIRES: `file` is empty.
  explicit HashingFile(std::unique_ptr<WritableFile> file);

  // After a failure every later call returns that failure.
  Status append(Bytes bytes);
  // Has all bytes on disk (fdatasync), closes the file and gives its hash. Once.
  Result<Sha256> finish();

 private:
  std::unique_ptr<WritableFile> file_;  // Null once it is finished.
  Sha256Hasher hasher_;
  Status failure_;
};

}  // namespace seriesdb
