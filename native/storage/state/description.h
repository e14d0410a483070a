// The segments that the database names on disk, and the numbers of new ones.
#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>

#include "common/base/lock_order.h"
#include "storage/ledger/manifest_holder.h"

namespace seriesdb {

// Any thread.
struct Description {
  ManifestHolder manifest;
  std::atomic<std::uint64_t> nextSegment{1};  // The number of the next file.
  // Protects new segment files until MANIFEST names them (compactor outputs excepted).
  OrderedMutex<LockRank::kSegmentWriting> segmentWriting;
};

}  // namespace seriesdb
