// The sources of a read at one moment: the active memtable, the frozen ones and the segments.
//
// Ownership is shared on purpose. A reader keeps its view (and so memtables and mapped files)
// alive, while the committer and the flusher publish newer views.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "common/base/lock_order.h"
#include "common/base/locks.h"
#include "common/types/tombstone_list.h"
#include "format/segment/segment.h"
#include "index/logged_descriptors.h"
#include "storage/memtable/memtable.h"
#include "storage/view/pinned_view.h"
#include "storage/view/shared_list.h"

namespace seriesdb {

// A memtable that takes no more samples, with the facts for its flush.
struct FrozenMemtable {
  std::shared_ptr<const Memtable> memtable;
  std::uint64_t walFloor = 0;                  // The first WAL file without any of its samples.
  std::uint64_t sequenceMax = 0;               // The sequence of the last record in it.
  std::uint64_t annotationCount = 0;           // Annotations up to this id are in the WAL so far.
  std::uint32_t seriesCount = 0;               // Series below this ref are in the WAL up to here.
  LoggedDescriptors descriptors;               // Descriptors set while it was active.
  std::int64_t frozenMs = 0;     // When it was frozen, by the wall clock, in milliseconds.
  bool isBeforeRemoval = false;  // Frozen before a deletion, so that history has the samples.
};

// Cheap to copy at any size: long lists are shared.
struct View {
  std::shared_ptr<Memtable> active;
  std::vector<std::shared_ptr<const FrozenMemtable>> frozen;  // Oldest first; few.
  SharedList<std::shared_ptr<const Segment>> segments;        // Oldest first.
  SharedList<SegmentFacts> damaged;  // Unreadable segments; their files stay in place.
  // Deletions that mask frozen memtables or segments. The active memtable has erased their
  // samples.
  TombstoneList tombstones;
  // Erasures queued for the active memtable when this view was made. Later ones apply to this view
  // too (series_sources.h).
  std::size_t activeErasures = 0;
};

// The current view. Writers replace it whole; thread-safe.
//
// Two locks: readers hold theirs only to copy a pointer. So no reader waits for a writer's copy,
// its change, or the destruction of older views.
class ViewHolder {
 public:
  // REQUIRES: an earlier update().
  PinnedView current() const {
    const auto lock = lockCounting(mutex_, waits_);
    return PinnedView(view_);
  }
  // Publishes a changed copy. `change` gets a View& and must be quick, because other writers,
  // including the committer, wait for it: sort and build beforehand.
  template <typename Change>
  void update(Change change) {
    std::shared_ptr<const View> replaced;  // Destroyed after all locks are released.
    const std::lock_guard writing(writing_);
    auto next = view_ ? std::make_shared<View>(*view_) : std::make_shared<View>();
    change(*next);
    replaced = std::move(next);
    const auto lock = lockCounting(mutex_, waits_);
    view_.swap(replaced);
  }
  const LockWaits& waits() const { return waits_; }

 private:
  OrderedMutex<LockRank::kViewWriting> writing_;  // Serializes writers.
  // Guards `view_`, which changes only under both locks.
  mutable OrderedMutex<LockRank::kView> mutex_;
  mutable LockWaits waits_;
  std::shared_ptr<const View> view_;
};

}  // namespace seriesdb
