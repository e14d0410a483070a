#include "maintenance/bucket/backup.h"

#include <utility>

#include "maintenance/bucket/backup_job.h"

namespace seriesdb {

std::unique_ptr<JsonReader> backUpToBucket(BucketBackupSource source, BucketBackupTarget target) {
  return std::make_unique<BucketBackupJob>(std::move(source), std::move(target));
}

}  // namespace seriesdb
