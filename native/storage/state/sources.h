// What reads see: the index, the annotations, and the view of memtables and segments.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>

#include "common/base/lock_order.h"
#include "common/base/locks.h"
#include "common/base/memory_account.h"
#include "format/annotation/annotation_index.h"
#include "index/index_holder.h"
#include "storage/state/engine_settings.h"
#include "storage/state/memory_use.h"
#include "storage/state/release_apart.h"
#include "storage/state/task_pool.h"
#include "storage/view/view.h"

namespace seriesdb {

// Any thread, unless a member says otherwise.
struct Sources {
  explicit Sources(const EngineSettings& engineSettings)
      : index(SeriesIndex::make(engineSettings.options.series)),
        memory(engineSettings.options.counted.value_or(MemoryAccounts())),
        settings_(engineSettings) {}

  std::shared_ptr<Memtable> makeMemtable() const {
    return releasedApart(std::make_unique<Memtable>(blocks, memory.memtables, memtableWaits),
                         releases);
  }
  // Segment::open(), with the segment's memory counted.
  Result<std::unique_ptr<Segment>> openSegment(const SegmentFacts& facts) const {
    auto segment = Segment::open(settings_.fs, settings_.options.directory, facts);
    if (segment.ok()) segment.value()->countIn(memory.segments);
    return segment;
  }
  // SeriesIndex::createdCount() of the current index.
  std::uint32_t createdCount() const {
    const auto created = index.current();
    return created->createdCount();
  }

  IndexHolder index;            // The committer changes it.
  AnnotationIndex annotations;  // The committer adds.
  ViewHolder view;
  // Held by a writer that replaces the view's tombstone list with one built beforehand. The
  // committer adds tombstones without this lock.
  OrderedMutex<LockRank::kTombstones> tombstoneMutex;
  // The number of segments that became or may become readable again. The index may not know that
  // their series have samples.
  std::atomic<std::uint32_t> unnotedSegments{0};
  std::shared_ptr<BlockFigures> blocks;  // Null with Allocator::kSystem; constant after opening.
  std::shared_ptr<LockWaits> memtableWaits = std::make_shared<LockWaits>();  // Of all memtables.
  MemoryAccounts memory;
  MemoryHold pastHold;  // Part of `memory.past`, if this engine is a past state.
  // Frees memtables and large requests. Declared after the view: it stops first, so the view's
  // last memtables are freed directly.
  std::shared_ptr<TaskPool> releases = std::make_shared<TaskPool>(1);

 private:
  const EngineSettings& settings_;
};

}  // namespace seriesdb
