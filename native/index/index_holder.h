// The index of a database as it is at a time: it is replaced by its next generation while others
// read it. Thread-safe.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "common/base/locks.h"
#include "common/base/memory_account.h"
#include "common/base/pinned.h"
#include "index/series_index.h"

namespace seriesdb {

using PinnedIndex = Pinned<const SeriesIndex>;

class IndexHolder {
 public:
  explicit IndexHolder(std::unique_ptr<SeriesIndex> index) : index_(std::move(index)) {}

  // What one read asks of the index it asks of one generation.
  PinnedIndex current() const { return PinnedIndex(shared()); }
  // For who may change it. REQUIRES: the thread on which replace() is called, or one on which it
  // cannot be called meanwhile.
  Pinned<SeriesIndex> writable() const { return Pinned<SeriesIndex>(shared()); }
  void replace(std::shared_ptr<SeriesIndex> next) {
    const auto lock = lockCounting(mutex_, waits_);
    std::erase_if(replaced_, [](const auto& one) { return one.expired(); });
    replaced_.push_back(index_);
    index_.swap(next);
  }

  // Of this holder; those of the index itself are SeriesIndex::waits().
  const LockWaits& waits() const { return waits_; }

  // Of the next generation, by who builds it and until it takes its place here.
  const std::shared_ptr<MemoryAccount>& building() const { return building_; }
  // Also of generations before, as long as somebody has them, and of the one that is built.
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
  mutable std::mutex mutex_;
  mutable LockWaits waits_;
  std::shared_ptr<SeriesIndex> index_;  // Not null.
  std::vector<std::weak_ptr<SeriesIndex>> replaced_;
};

}  // namespace seriesdb
