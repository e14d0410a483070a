// The deletions that readers of a view apply, with a lookup by series.
//
// A value whose copies share old parts. New tombstones are in a short tail that is searched
// linearly. An index finds the others by series, so a read does not slow down with deletions of
// other series. Tombstones of very many series would fill the index, so they are searched linearly,
// too.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "common/types/tombstone.h"

namespace seriesdb {

class TombstoneList {
 public:
  TombstoneList() = default;
  // REQUIRES: ascending by sequence.
  explicit TombstoneList(Tombstones all);

  // Appends to the tail. REQUIRES: its sequence is above all others.
  void add(std::shared_ptr<const Tombstone> tombstone);
  // True if the tail is long enough to slow reads down. Then index() a copy, which sorts, on a
  // background thread, and replace the list by it.
  bool isIndexDue() const;
  void index();

  bool isEmpty() const { return size() == 0; }
  std::size_t size() const { return tail_.size() + (indexed_ ? indexed_->all.size() : 0); }
  // Series of all tombstones; a series counts as often as it is named.
  std::uint64_t refCount() const { return refCount_; }
  // Approximate, including the tombstones.
  std::uint64_t memoryBytes() const {
    return refCount_ * (sizeof(SeriesRef) + sizeof(Entry)) +
           size() * (sizeof(Tombstone) + sizeof(std::shared_ptr<const Tombstone>));
  }
  // Both ascend by sequence; the second has those above `sequence`.
  Tombstones all() const;
  Tombstones after(std::uint64_t sequence) const;
  // 0 if the list is empty.
  std::uint64_t lastSequence() const;
  // The tombstones that touch the series in the range.
  Masks masksOf(SeriesRef ref, TimeRange range) const;

 private:
  struct Entry {
    SeriesRef ref;
    std::uint32_t number;  // Index into `all`.
  };
  struct Indexed {
    Tombstones all;
    std::vector<Entry> entries;        // Ascending by ref.
    std::vector<std::uint32_t> large;  // Indexes of tombstones that `entries` omits.
  };

  std::shared_ptr<const Indexed> indexed_;  // Null if nothing is indexed.
  Tombstones tail_;
  std::uint64_t refCount_ = 0;
};

}  // namespace seriesdb
