// Opens a database that has its home in a bucket: claims it, brings the directory to the bucket's
// state where that is ahead, and opens an engine whose log and state go to the bucket.
#pragma once

#include <memory>
#include <string>

#include "common/base/status.h"
#include "shipping/bucket_options.h"

namespace seriesdb {

class Engine;
class FileSystem;
struct EngineOptions;

struct ShippedEngine {
  std::unique_ptr<Engine> engine;
  // For the operator, if the bucket's state replaced the directory's; else empty.
  std::string note;
};

// Blocks until the directory is complete. The engine ends what works for it when it is closed.
//
// kConfiguration: the bucket, or the directory, belongs to another database; the prefix holds
// backups; a directory with a database was never a part of the bucket's; or a newer program wrote
// the bucket. kLocked: another process has the directory open, or claimed the bucket meanwhile.
// kStorageUnavailable: the bucket does not answer. kStorageCorrupt names an object of the bucket.
// Otherwise fails as Engine::open().
Result<ShippedEngine> openShipped(FileSystem& fs, EngineOptions options, BucketOptions bucket);

}  // namespace seriesdb
