// Work over a store that keeps what it needs of the store.
//
// Nothing is asked before the first call of next(): the thread that begins the work may be the one
// that answers the store.
#pragma once

#include <functional>
#include <memory>

#include "common/file/file_system.h"
#include "maintenance/bucket/backup.h"
#include "maintenance/bucket/opening.h"
#include "query/answers/json_reader.h"

namespace seriesdb {

using ReaderOfFiles = std::function<std::unique_ptr<JsonReader>(FileSystem& files)>;

// Reads a backup by the reader that `make` makes over its files. next() fails also as openBucket().
std::unique_ptr<JsonReader> readBucket(std::shared_ptr<ObjectStore> store, BucketOpening opening,
                                       ReaderOfFiles make);
// backUpToBucket() with a store and a pauser of its own: those of `target` are not read.
std::unique_ptr<JsonReader> backUpToShared(std::shared_ptr<ObjectStore> store,
                                           BucketBackupSource source, BucketBackupTarget target);

}  // namespace seriesdb
