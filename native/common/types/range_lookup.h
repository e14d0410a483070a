// Finds time ranges by key and overlap, so that merging many deletions does not compare every pair.
// Keys may collide: the caller compares each hit.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "common/types/sample.h"

namespace seriesdb {

class RangeLookup {
 public:
  void add(std::uint64_t key, TimeRange range, std::uint32_t number) {
    entries_.push_back({key, range, range.end, number});
  }
  // Call after the last add() and before visit().
  void sort() {
    std::sort(entries_.begin(), entries_.end(), [](const Entry& a, const Entry& b) {
      return a.key != b.key ? a.key < b.key : a.range.start < b.range.start;
    });
    for (std::size_t i = 1; i < entries_.size(); ++i) {
      if (entries_[i - 1].key != entries_[i].key) continue;
      entries_[i].endMax = std::max(entries_[i].endMax, entries_[i - 1].endMax);
    }
  }

  // Visits the numbers under `key` whose range starts at or before `startMax` and ends at or after
  // `endMin`, until `visit` returns true. Returns true in that case.
  template <typename Visit>
  bool visit(std::uint64_t key, Timestamp startMax, Timestamp endMin, const Visit& visit) const {
    auto at = std::partition_point(entries_.begin(), entries_.end(), [&](const Entry& one) {
      return one.key != key ? one.key < key : one.range.start <= startMax;
    });
    while (at != entries_.begin()) {
      --at;
      if (at->key != key || at->endMax < endMin) return false;
      if (at->range.end >= endMin && visit(at->number)) return true;
    }
    return false;
  }

 private:
  struct Entry {
    std::uint64_t key;
    TimeRange range;
    Timestamp endMax;  // The greatest end of this entry and the earlier entries of the key.
    std::uint32_t number;
  };
  std::vector<Entry> entries_;
};

}  // namespace seriesdb
