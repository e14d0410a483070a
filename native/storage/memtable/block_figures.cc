#include "storage/memtable/block_figures.h"

#include <algorithm>

#include "common/base/check.h"

namespace seriesdb {
namespace {

std::size_t indexOf(std::size_t bytes) {
  return static_cast<std::size_t>(std::countr_zero(bytes) -
                                  std::countr_zero(BlockFigures::kSizeMin));
}

}  // namespace

void BlockFigures::noteTaken(std::size_t bytes, Source source) {
  if (bytes > kSizeMax) return;
  const std::lock_guard lock(mutex_);
  OfSize& one = sizes_[indexOf(bytes)];
  ++one.allocations;
  one.highWater = std::max(one.highWater, ++one.inUse);
  if (source != Source::kFree) ++one.refills;
  if (source == Source::kNewSlab) ++one.slabs;
}

void BlockFigures::noteReturned(std::size_t bytes, std::uint64_t count) {
  if (bytes > kSizeMax) return;
  const std::lock_guard lock(mutex_);
  OfSize& one = sizes_[indexOf(bytes)];
  CHECK(one.inUse >= count);
  one.inUse -= count;
}

std::array<BlockFigures::OfSize, BlockFigures::kSizeCount> BlockFigures::all() const {
  const std::lock_guard lock(mutex_);
  auto all = sizes_;
  for (std::size_t at = 0; at < all.size(); ++at) all[at].size = kSizeMin << at;
  return all;
}

}  // namespace seriesdb
