// The deletions that readers of a view heed, and which of them touch a series.
//
// A value, whose copies share what is old. New tombstones stand in a tail that is looked through,
// and that its owner keeps short; of the others an index tells which ones name a series, so that a
// read does not get slower with each deletion of other series. Those of very many series are not in
// the index, which they would fill, but looked through as well.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "model/tombstone.h"

namespace seriesdb {

class TombstoneList {
 public:
  TombstoneList() = default;
  // REQUIRES: ascending by sequence.
  explicit TombstoneList(Tombstones all);

  // To the tail. REQUIRES: its sequence is above those that are there.
  void add(std::shared_ptr<const Tombstone> tombstone);
  // Whether the tail is so long that reads get slower by it. Then somebody should index() a copy,
  // which sorts, where nobody waits, and replace the list by it.
  bool isIndexDue() const;
  void index();

  bool isEmpty() const { return size() == 0; }
  std::size_t size() const { return tail_.size() + (indexed_ ? indexed_->all.size() : 0); }
  // Series of all of them; each counts as often as it is named.
  std::uint64_t refCount() const { return refCount_; }
  // About, with the tombstones themselves.
  std::uint64_t memoryBytes() const {
    return refCount_ * (sizeof(SeriesRef) + sizeof(Entry)) +
           size() * (sizeof(Tombstone) + sizeof(std::shared_ptr<const Tombstone>));
  }
  // Both ascending by sequence; the second those above `sequence`.
  Tombstones all() const;
  Tombstones after(std::uint64_t sequence) const;
  // 0 when it is empty.
  std::uint64_t lastSequence() const;
  // Those that touch the series in the range.
  Masks masksOf(SeriesRef ref, TimeRange range) const;

 private:
  struct Entry {
    SeriesRef ref;
    std::uint32_t number;  // In `all`.
  };
  struct Indexed {
    Tombstones all;
    std::vector<Entry> entries;        // Ascending by ref.
    std::vector<std::uint32_t> large;  // Numbers of those that `entries` leaves out.
  };

  std::shared_ptr<const Indexed> indexed_;  // Null when nothing is.
  Tombstones tail_;
  std::uint64_t refCount_ = 0;
};

}  // namespace seriesdb
