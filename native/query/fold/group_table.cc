#include "query/fold/group_table.h"

namespace seriesdb {

GroupTable::GroupTable(std::uint32_t groupCount, std::int64_t firstBucket, std::int64_t lastBucket)
    : firstBucket_(firstBucket) {
  const std::uint64_t span =
      static_cast<std::uint64_t>(lastBucket) - static_cast<std::uint64_t>(firstBucket);
  if (groupCount == 0 || span >= kDenseMax || (span + 1) * groupCount > kDenseMax) return;
  bucketCount_ = span + 1;
  dense_.resize(bucketCount_ * groupCount);
  expect(dense_.size());
}

GroupCell& GroupTable::make(std::uint32_t group, std::int64_t bucket) {
  GroupCell& cell = cells_.emplace_back();
  cell.group = group;
  cell.bucket = bucket;
  return cell;
}

GroupCell* GroupTable::find(std::uint32_t group, std::int64_t bucket) {
  const std::uint64_t at =
      static_cast<std::uint64_t>(bucket) - static_cast<std::uint64_t>(firstBucket_);
  if (at < bucketCount_) {
    const std::uint64_t key = group * bucketCount_ + at;
    const std::uint32_t place = key < dense_.size() ? dense_[key] : 0;
    return place == 0 ? nullptr : &cells_[place - 1];
  }
  const auto found = sparse_.find({group, bucket});
  return found == sparse_.end() ? nullptr : &cells_[found->second];
}

GroupCell& GroupTable::cellOf(std::uint32_t group, std::int64_t bucket) {
  const std::uint64_t at =
      static_cast<std::uint64_t>(bucket) - static_cast<std::uint64_t>(firstBucket_);
  if (at < bucketCount_) {
    const std::uint64_t key = group * bucketCount_ + at;
    if (key >= dense_.size()) dense_.resize(key + 1);
    std::uint32_t& place = dense_[key];
    if (place != 0) return cells_[place - 1];
    GroupCell& cell = make(group, bucket);
    place = static_cast<std::uint32_t>(cells_.size());
    return cell;
  }
  const auto [found, isNew] =
      sparse_.try_emplace({group, bucket}, static_cast<std::uint32_t>(cells_.size()));
  return isNew ? make(group, bucket) : cells_[found->second];
}

}  // namespace seriesdb
