// The cells of a grouped query, found by group and bucket.
#pragma once

#include <algorithm>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "query/fold/group_cell.h"

namespace seriesdb {

class GroupTable {
 public:
  // Most buckets should lie in [first, last]; others work but are slower. New groups may be added.
  GroupTable(std::uint32_t groupCount, std::int64_t firstBucket, std::int64_t lastBucket);
  // Announces that cells() will grow to at most `cells` cells.
  void expect(std::uint64_t cells) {
    if (cells <= kDenseMax) cells_.reserve(std::min(cells, kReservedMax));
  }

  // The cell, created if it is new; valid until the next call.
  GroupCell& cellOf(std::uint32_t group, std::int64_t bucket);
  // Null if there is no such cell.
  GroupCell* find(std::uint32_t group, std::int64_t bucket);
  std::vector<GroupCell>& cells() { return cells_; }
  std::size_t size() const { return cells_.size(); }
  // The map adds two words for each sparse cell.
  std::size_t memoryBytes() const {
    return cells_.capacity() * sizeof(GroupCell) + dense_.capacity() * sizeof(dense_[0]) +
           sparse_.size() * (sizeof(Key) + 3 * sizeof(void*)) +
           sparse_.bucket_count() * sizeof(void*);
  }

 private:
  struct Key {
    std::uint32_t group;
    std::int64_t bucket;
    bool operator==(const Key&) const = default;
  };
  struct KeyHash {
    std::size_t operator()(const Key& key) const {
      constexpr std::uint64_t kGolden = 0x9E3779B97F4A7C15u;
      std::uint64_t hash = (static_cast<std::uint64_t>(key.bucket) + key.group * kGolden) * kGolden;
      hash ^= hash >> 29;
      return static_cast<std::size_t>(hash * kGolden);
    }
  };
  static constexpr std::uint64_t kDenseMax = std::uint64_t{1} << 20;
  static constexpr std::uint64_t kReservedMax = std::uint64_t{1} << 16;

  GroupCell& make(std::uint32_t group, std::int64_t bucket);

  std::int64_t firstBucket_;
  std::uint64_t bucketCount_ = 0;     // 0 if there is no dense table.
  std::vector<std::uint32_t> dense_;  // The cell's place plus one.
  std::unordered_map<Key, std::uint32_t, KeyHash> sparse_;
  std::vector<GroupCell> cells_;
};

}  // namespace seriesdb
