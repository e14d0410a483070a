#include "common/types/tombstone_list.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace seriesdb {
namespace {

// Tombstones with more series are not indexed. A lookup in one takes some ten nanoseconds.
constexpr std::size_t kIndexedRefsMax = 4096;
// The tail may grow with the index, so that indexing costs about the same for each tombstone.
constexpr std::size_t kTailMin = 64;
constexpr std::size_t kTailPart = 64;

}  // namespace

TombstoneList::TombstoneList(Tombstones all) : tail_(std::move(all)) {
  for (const auto& one : tail_) refCount_ += one->refs.size();
  if (isIndexDue()) index();
}

void TombstoneList::add(std::shared_ptr<const Tombstone> tombstone) {
  refCount_ += tombstone->refs.size();
  tail_.push_back(std::move(tombstone));
}

bool TombstoneList::isIndexDue() const {
  const std::size_t indexedCount = indexed_ ? indexed_->all.size() : 0;
  return tail_.size() > kTailMin + indexedCount / kTailPart;
}

// Moves the tail into a new index. Copies of the list keep the old one.
void TombstoneList::index() {
  auto next = indexed_ ? std::make_shared<Indexed>(*indexed_) : std::make_shared<Indexed>();
  const auto old = static_cast<std::ptrdiff_t>(next->entries.size());
  for (auto& tombstone : tail_) {
    const auto number = static_cast<std::uint32_t>(next->all.size());
    if (tombstone->refs.size() > kIndexedRefsMax) {
      next->large.push_back(number);
    } else {
      for (const SeriesRef ref : tombstone->refs) next->entries.push_back({ref, number});
    }
    next->all.push_back(std::move(tombstone));
  }
  tail_.clear();
  const auto before = [](const Entry& a, const Entry& b) { return a.ref < b.ref; };
  const auto middle = next->entries.begin() + old;
  std::stable_sort(middle, next->entries.end(), before);
  std::inplace_merge(next->entries.begin(), middle, next->entries.end(), before);
  indexed_ = std::move(next);
}

Tombstones TombstoneList::all() const {
  Tombstones all = indexed_ ? indexed_->all : Tombstones{};
  all.insert(all.end(), tail_.begin(), tail_.end());
  return all;
}

Tombstones TombstoneList::after(std::uint64_t sequence) const {
  Tombstones later;
  const auto isBefore = [sequence](const auto& one) { return one->sequence <= sequence; };
  const auto add = [&](const Tombstones& part) {
    later.insert(later.end(), std::partition_point(part.begin(), part.end(), isBefore), part.end());
  };
  if (indexed_) add(indexed_->all);
  add(tail_);
  return later;
}

std::uint64_t TombstoneList::lastSequence() const {
  if (!tail_.empty()) return tail_.back()->sequence;
  return indexed_ ? indexed_->all.back()->sequence : 0;
}

Masks TombstoneList::masksOf(SeriesRef ref, TimeRange range) const {
  Masks masks;
  if (indexed_) {
    auto at = std::partition_point(indexed_->entries.begin(), indexed_->entries.end(),
                                   [ref](const Entry& entry) { return entry.ref < ref; });
    for (; at != indexed_->entries.end() && at->ref == ref; ++at) {
      masks.add(*indexed_->all[at->number], range);
    }
    for (const std::uint32_t number : indexed_->large) {
      if (indexed_->all[number]->holds(ref)) masks.add(*indexed_->all[number], range);
    }
  }
  for (const auto& one : tail_) {
    if (one->holds(ref)) masks.add(*one, range);
  }
  masks.sort();
  return masks;
}

}  // namespace seriesdb
