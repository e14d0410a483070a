// What a read sees: the active memtable, the frozen ones and the segments, at one moment.
//
// Shared ownership is meant: a reader keeps its view (and so memtables and mapped files) alive
// while the committer and the flusher publish newer ones.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "base/locks.h"
#include "base/pinned.h"
#include "base/shared_list.h"
#include "index/logged_descriptors.h"
#include "memtable/memtable.h"
#include "model/tombstone_list.h"
#include "segment/segment.h"

namespace seriesdb {

// A memtable that takes no more samples, with what its flush must know.
struct FrozenMemtable {
  std::shared_ptr<const Memtable> memtable;
  std::uint64_t walFloor = 0;                  // The first WAL file with none of its samples.
  std::uint64_t sequenceMax = 0;               // The last record it holds.
  std::uint64_t annotationCount = 0;           // Annotations up to this id are in the WAL so far.
  std::uint32_t seriesCount = 0;               // Series below this ref are in the WAL up to here.
  LoggedDescriptors descriptors;               // Set during its time.
  std::int64_t frozenMs = 0;                   // When it was frozen, by the wall clock.
  bool isBeforeRemoval = false;                // Frozen for history to have what a deletion takes.
};

// A value whose copy costs little, whatever it shows: lists that may be long are shared.
struct View {
  std::shared_ptr<Memtable> active;
  std::vector<std::shared_ptr<const FrozenMemtable>> frozen;  // Oldest first; a few.
  SharedList<std::shared_ptr<const Segment>> segments;        // Oldest first.
  SharedList<SegmentFacts> damaged;  // Not readable; they stay in their place on the disk.
  // Deletions that mask frozen memtables or segments. The active memtable has none of their
  // samples.
  TombstoneList tombstones;
  // How many of them were meant for the active memtable. It may have been given more since, which
  // hold for this view as well: series_sources.h.
  std::size_t activeErasures = 0;
};

using PinnedView = Pinned<const View>;

// The current view. Writers replace it whole; thread-safe.
//
// Two locks: readers hold theirs for the copy of a pointer and nothing else, so that none of them
// waits for a writer's copy, its change, or the end of what only the older view held.
class ViewHolder {
 public:
  // REQUIRES: an update() before.
  PinnedView current() const {
    const auto lock = lockCounting(mutex_, waits_);
    return PinnedView(view_);
  }
  // Publishes a changed copy. `change` gets a View& and must be quick, because other writers, the
  // committer among them, wait for it: what is sorted or built is so before.
  template <typename Change>
  void update(Change change) {
    std::shared_ptr<const View> replaced;  // Goes when no lock is held any more.
    const std::lock_guard writing(writing_);
    auto next = view_ ? std::make_shared<View>(*view_) : std::make_shared<View>();
    change(*next);
    replaced = std::move(next);
    const auto lock = lockCounting(mutex_, waits_);
    view_.swap(replaced);
  }
  const LockWaits& waits() const { return waits_; }

 private:
  std::mutex writing_;        // Of writers among each other; locked before `mutex_`.
  mutable std::mutex mutex_;  // Of `view_`, which is changed only while both are held.
  mutable LockWaits waits_;
  std::shared_ptr<const View> view_;
};

}  // namespace seriesdb
