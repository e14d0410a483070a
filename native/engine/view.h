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

#include "memtable/memtable.h"
#include "model/tombstone.h"
#include "ndjson/ingest_parser.h"
#include "segment/segment.h"

namespace seriesdb {

// A memtable that takes no more samples, with what its flush must know.
struct FrozenMemtable {
  std::shared_ptr<const Memtable> memtable;
  std::uint64_t walFloor = 0;                  // The first WAL file with none of its samples.
  std::uint64_t sequenceMax = 0;               // The last record it holds.
  std::uint64_t annotationCount = 0;           // Annotations up to this id are in the WAL so far.
  std::uint32_t seriesCount = 0;               // Series below this ref are in the WAL up to here.
  std::vector<PendingDescriptor> descriptors;  // Set during its time.
};

struct View {
  std::shared_ptr<Memtable> active;
  std::vector<std::shared_ptr<const FrozenMemtable>> frozen;  // Oldest first.
  std::vector<std::shared_ptr<const Segment>> segments;       // Oldest first.
  std::vector<SegmentFacts> quarantined;                      // Damaged: not readable.
  // Deletions that mask frozen memtables or segments. The active memtable has none of their
  // samples.
  Tombstones tombstones;

  Masks masksOf(SeriesRef ref, TimeRange range) const {
    return tombstones.empty() ? Masks() : Masks(tombstones, ref, range);
  }
};

// The current view. Writers replace it whole; thread-safe.
class ViewHolder {
 public:
  std::shared_ptr<const View> current() const {
    const std::lock_guard lock(mutex_);
    return view_;
  }
  // Publishes a changed copy. `change` gets a View& and must be quick.
  template <typename Change>
  void update(Change change) {
    const std::lock_guard lock(mutex_);
    auto next = view_ ? std::make_shared<View>(*view_) : std::make_shared<View>();
    change(*next);
    view_ = std::move(next);
  }

 private:
  mutable std::mutex mutex_;
  std::shared_ptr<const View> view_;
};

}  // namespace seriesdb
