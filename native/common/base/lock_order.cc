#include "common/base/lock_order.h"

#include <algorithm>
#include <cstdio>

#include "common/base/check.h"

namespace seriesdb {
namespace {

thread_local HeldLocks heldByThread;

}  // namespace

std::optional<LockRank> HeldLocks::conflictWith(LockRank rank) const {
  const auto end = ranks_.begin() + static_cast<std::ptrdiff_t>(count_);
  const auto highest = std::max_element(ranks_.begin(), end);
  if (highest == end || *highest < rank) return std::nullopt;
  return *highest;
}

void HeldLocks::add(LockRank rank) {
  CHECK(count_ < kHeldMax);
  ranks_[count_++] = rank;
}

void HeldLocks::remove(LockRank rank) {
  // Mostly the last one.
  for (std::size_t at = count_; at-- > 0;) {
    if (ranks_[at] != rank) continue;
    std::copy(ranks_.begin() + static_cast<std::ptrdiff_t>(at + 1),
              ranks_.begin() + static_cast<std::ptrdiff_t>(count_),
              ranks_.begin() + static_cast<std::ptrdiff_t>(at));
    --count_;
    return;
  }
  CHECK(false);
}

namespace lock_order {

void check(LockRank rank) {
  const auto held = heldByThread.conflictWith(rank);
  if (!held) return;
  std::fprintf(stderr, "lock order: a thread takes rank %d of LockRank and holds rank %d\n",
               static_cast<int>(rank), static_cast<int>(*held));
  CHECK(!held);
}

void noteTaken(LockRank rank) { heldByThread.add(rank); }

void noteReleased(LockRank rank) { heldByThread.remove(rank); }

}  // namespace lock_order

}  // namespace seriesdb
