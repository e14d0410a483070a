// The deletions that readers of a view heed, and which of them touch a series.
//
// A value, whose copies share what is old. New tombstones stand in a short tail that is looked
// through; of the others an index tells which ones name a series, so that a read does not get
// slower with each deletion of other series. Those of very many series are not in the index, which
// they would fill, but looked through as well.
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

  // REQUIRES: its sequence is above those that are there.
  void add(std::shared_ptr<const Tombstone> tombstone);

  bool isEmpty() const { return size() == 0; }
  std::size_t size() const { return tail_.size() + (indexed_ ? indexed_->all.size() : 0); }
  // Series of all of them; each counts as often as it is named.
  std::uint64_t refCount() const { return refCount_; }
  // Ascending by sequence.
  Tombstones all() const;
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
  void index();

  std::shared_ptr<const Indexed> indexed_;  // Null when nothing is.
  Tombstones tail_;
  std::uint64_t refCount_ = 0;
};

}  // namespace seriesdb
