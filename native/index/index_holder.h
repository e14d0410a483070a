// Holds the current index of a database. Its next generation may replace it while others read it.
// Thread-safe.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "common/base/lock_order.h"
#include "common/base/locks.h"
#include "common/base/memory_account.h"
#include "index/pinned_index.h"
#include "index/series_index.h"

namespace seriesdb {

class IndexHolder {
 public:
  explicit IndexHolder(std::unique_ptr<SeriesIndex> index) : index_(std::move(index)) {}

  // Pins one generation; a read uses one pin for all its lookups.
  PinnedIndex current() const { return PinnedIndex(shared()); }
  // For writers. REQUIRES: the thread that calls replace(), or a thread during which replace()
  // cannot be called.
  Pinned<SeriesIndex> writable() const { return Pinned<SeriesIndex>(shared()); }
  void replace(std::shared_ptr<SeriesIndex> next) {
    const auto lock = lockCounting(mutex_, waits_);
    std::erase_if(replaced_, [](const auto& one) { return one.expired(); });
    replaced_.push_back(index_);
    index_.swap(next);
  }

  // Waits for this holder's lock. The waits for the index's own lock: SeriesIndex::waits().
  const LockWaits& waits() const { return waits_; }

  // The memory of the next generation while it is built; its builder counts here until replace().
  const std::shared_ptr<MemoryAccount>& building() const { return building_; }
  // Includes older generations while readers hold them, and the generation being built.
  std::uint64_t memoryBytes() const {
    std::vector<std::shared_ptr<SeriesIndex>> all;
    {
      const auto lock = lockCounting(mutex_, waits_);
      all.push_back(index_);
      for (const auto& one : replaced_) all.push_back(one.lock());
    }
    std::uint64_t bytes = building_->bytes();
    for (const auto& one : all) bytes += one ? one->memoryBytes() : 0;
    return bytes;
  }

 private:
  std::shared_ptr<SeriesIndex> shared() const {
    const auto lock = lockCounting(mutex_, waits_);
    return index_;
  }

  const std::shared_ptr<MemoryAccount> building_ = std::make_shared<MemoryAccount>();
  mutable OrderedMutex<LockRank::kIndexHolder> mutex_;
  mutable LockWaits waits_;
  std::shared_ptr<SeriesIndex> index_;  // Not null.
  std::vector<std::weak_ptr<SeriesIndex>> replaced_;
};

}  // namespace seriesdb
