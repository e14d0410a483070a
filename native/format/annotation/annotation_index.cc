#include "format/annotation/annotation_index.h"

#include <algorithm>
#include <mutex>
#include <shared_mutex>
#include <utility>

namespace seriesdb {
namespace {

constexpr std::size_t kNotesPerBlock = 512;
// Approximate memory of one entry of a hash table.
constexpr std::size_t kBytesOfEntry = 48;
// One search step examines at most this many annotations and blocks under the lock: about 0.2 ms.
constexpr std::size_t kLookedAtMax = 8192;

}  // namespace

void AnnotationIndex::add(Annotation annotation) {
  CHECK(annotation.id == count() + 1 && annotation.start <= annotation.end);
  memoryBytes_.fetch_add(sizeOf(annotation) + sizeof(void*), std::memory_order_relaxed);
  const std::unique_lock lock(mutex_);
  all_.push_back(std::move(annotation));
  if (link(all_.back())) insert(&all_.back());
  count_.store(all_.size(), std::memory_order_release);
}

// Records which annotation this one replaces. False if it must not be found.
bool AnnotationIndex::link(const Annotation& one) {
  if (one.changes == 0) return true;
  std::uint64_t& last = lastByPublicId_.try_emplace(one.changes, one.changes).first->second;
  if (all_[static_cast<std::size_t>(last - 1)].isErasure) return false;
  nextById_[last] = one.id;
  last = one.id;
  memoryBytes_.fetch_add(2 * kBytesOfEntry, std::memory_order_relaxed);
  return !one.isErasure;
}

const Annotation* AnnotationIndex::current(std::uint64_t publicId) const {
  const std::shared_lock lock(mutex_);
  if (publicId == 0 || publicId > all_.size()) return nullptr;
  const auto changed = lastByPublicId_.find(publicId);
  const std::uint64_t id = changed == lastByPublicId_.end() ? publicId : changed->second;
  const Annotation& one = all_[static_cast<std::size_t>(id - 1)];
  return one.isErasure || one.publicId() != publicId ? nullptr : &one;
}

bool AnnotationIndex::isThere(const Annotation& one, std::uint64_t idMax) const {
  if (one.id > idMax) return false;
  if (nextById_.empty()) return true;
  const auto next = nextById_.find(one.id);
  return next == nextById_.end() || next->second > idMax;
}

Status AnnotationIndex::restore(Annotation annotation) {
  const std::uint64_t id = annotation.id;
  if (id > count() + 1) {
    return Status::corrupt("annotation " + std::to_string(count() + 1) + " is missing before " +
                           std::to_string(id));
  }
  if (id == count() + 1) {
    if (annotation.changes != 0 && at(annotation.changes).changes != 0) {
      return Status::corrupt("annotation " + std::to_string(id) + " changes another change");
    }
    add(std::move(annotation));
    return Status::okStatus();
  }
  if (at(id) == annotation) return Status::okStatus();
  return Status::corrupt("annotation " + std::to_string(id) +
                         " is recorded twice with different content");
}

const Annotation& AnnotationIndex::at(std::uint64_t id) const {
  const std::shared_lock lock(mutex_);
  CHECK(id > 0 && id <= all_.size());
  return all_[static_cast<std::size_t>(id - 1)];
}

// The last block that begins at or before the position, else the first.
std::size_t AnnotationIndex::blockFor(const Position& position) const {
  const auto after = std::partition_point(blocks_.begin(), blocks_.end(), [&](const Block& block) {
    return positionOf(*block.items.front()) <= position;
  });
  return after == blocks_.begin() ? 0 : static_cast<std::size_t>(after - blocks_.begin()) - 1;
}

void AnnotationIndex::insert(const Annotation* one) {
  if (blocks_.empty()) {
    blocks_.push_back({{one}, one->end});
    return;
  }
  const Position position = positionOf(*one);
  std::size_t at = blockFor(position);
  auto* items = &blocks_[at].items;
  const bool isLast = positionOf(*items->back()) < position;
  if (isLast && at + 1 == blocks_.size() && items->size() == kNotesPerBlock) {
    // Most annotations arrive in order of time: a new block leaves the last one full, not half
    // full.
    blocks_.push_back({{one}, one->end});
    return;
  }
  const auto place =
      std::partition_point(items->begin(), items->end(),
                           [&](const Annotation* other) { return positionOf(*other) < position; });
  items->insert(place, one);
  blocks_[at].endMax = std::max(blocks_[at].endMax, one->end);
  if (items->size() > kNotesPerBlock) split(at);
}

void AnnotationIndex::split(std::size_t at) {
  Block right{{}, INT64_MIN};
  auto& items = blocks_[at].items;
  const auto middle = items.begin() + static_cast<std::ptrdiff_t>(items.size() / 2);
  right.items.assign(middle, items.end());
  items.erase(middle, items.end());
  blocks_[at].endMax = INT64_MIN;
  for (const auto* one : items) blocks_[at].endMax = std::max(blocks_[at].endMax, one->end);
  for (const auto* one : right.items) right.endMax = std::max(right.endMax, one->end);
  blocks_.insert(blocks_.begin() + static_cast<std::ptrdiff_t>(at) + 1, std::move(right));
}

bool AnnotationIndex::find(Search& search, std::size_t countMax,
                           std::vector<const Annotation*>& out) const {
  const AnnotationFilter& filter = *search.filter;
  std::size_t lookedAt = 0;
  std::size_t found = 0;
  const std::shared_lock lock(mutex_);
  for (std::size_t at = search.after ? blockFor(*search.after) : 0; at < blocks_.size(); ++at) {
    const Block& block = blocks_[at];
    if (block.items.front()->start > filter.range.end) return false;
    if (block.endMax < filter.range.start) {
      search.after = positionOf(*block.items.back());
      if (++lookedAt >= kLookedAtMax) return true;
      continue;
    }
    auto item = block.items.begin();
    if (search.after) {
      item = std::partition_point(item, block.items.end(), [&](const Annotation* one) {
        return positionOf(*one) <= *search.after;
      });
    }
    for (; item != block.items.end(); ++item) {
      if ((*item)->start > filter.range.end) return false;
      if (found == countMax || lookedAt == kLookedAtMax) return true;
      ++lookedAt;
      search.after = positionOf(**item);
      if (!isThere(**item, search.idMax) || !matches(filter, **item)) continue;
      out.push_back(*item);
      ++found;
    }
  }
  return false;
}

}  // namespace seriesdb
