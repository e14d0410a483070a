// A generation of the index: the remaining series, in tables of their own. It shares the cells of
// their bounds with the previous index, so it misses no sample that is noted meanwhile. Only
// memory_series_index.cc includes it.
#pragma once

#include <algorithm>
#include <memory>
#include <mutex>
#include <shared_mutex>
#include <utility>
#include <vector>

#include "index/selection/wanted_series.h"

namespace seriesdb {

class MemorySeriesIndex::Generation final : public NextGeneration {
 public:
  Generation(MemorySeriesIndex& before, SeriesRef keptFrom)
      : before_(&before),
        keptFrom_(keptFrom),
        next_(std::make_unique<MemorySeriesIndex>(before.limits_, before.idOfIdentity_)) {
    const std::unique_lock lock(before.tables_.mutex);
    before.visibility_.collectPublished(published_);
  }
  ~Generation() override { detach(); }

  bool takeSome(std::size_t count) override {
    for (std::size_t taken = 0; taken < count; taken += kTakenPerLock) {
      const std::shared_lock lock(before_->tables_.mutex);
      for (std::size_t i = 0; i < kTakenPerLock && at_ < before_->createdCount(); ++i) takeNext();
      if (taken + kTakenPerLock >= count) countMemory();
      if (at_ == before_->createdCount() || isAnyBack()) return false;
    }
    return true;
  }
  std::uint64_t memoryBytes() const override { return memoryBytes_; }

  std::unique_ptr<SeriesIndex> finish() override {
    {
      const std::shared_lock lock(before_->tables_.mutex);
      takeRest();
    }
    detach();
    return std::move(next_);
  }

  const std::vector<SeriesRef>& left() const override { return left_; }

 private:
  // The number of series examined under one lock, before other users get a turn.
  static constexpr std::size_t kTakenPerLock = 256;

  // From here on the previous index may be destroyed.
  void detach() {
    if (before_ == nullptr) return;
    const std::unique_lock lock(before_->tables_.mutex);
    before_->visibility_.endCollecting();
    before_ = nullptr;
  }

  // All functions below: REQUIRES the lock of the previous index's tables.
  void countMemory() {
    const std::size_t numbers = published_.capacity() + left_.capacity() + nameBefore_.capacity();
    memoryBytes_ = next_->memoryBytes() + numbers * sizeof(SeriesRef) + isVisible_.capacity() / 8;
  }
  void takeRest() {
    while (at_ < before_->createdCount()) takeNext();
    skip();
    if (isAnyBack()) return next_.reset();
    for (const SeriesRef ref : published_) {
      if (!isVisible_[ref]) publish(ref);
    }
    next_->descriptors_ = before_->descriptors_;
    takeBounds();
  }
  void takeNext() {
    const SeriesRef ref = at_++;
    isVisible_.push_back(false);
    const SeriesTables& tables = before_->tables_;
    const bool isVisible = tables.bounds.isSet(ref);
    const bool isLeft = tables.has(ref) && !isVisible && ref < keptFrom_;
    if (isLeft) left_.push_back(ref);
    if (isLeft || !tables.has(ref)) {
      ++skipped_;
      return;
    }
    skip();
    before_->labelsOf(ref, labels_);
    Wanted wanted(before_->nameOf(ref), labels_);
    wanted.hash = next_->hashOf(wanted.identity);
    const SeriesEntry& entry = tables.series[ref];
    next_->tables_.bounds.shareCell(ref, tables.bounds);
    next_->byIdentity_.insert(wanted.hash, ref);
    next_->byId_.insert(next_->hashOf(entry.id), ref);
    PairNumbers pairs;
    next_->insertLocked(next_->numberLocked(wanted, pairs), entry.id);
    if (next_->tables_.names.count() > nameBefore_.size()) nameBefore_.push_back(entry.name);
    if (isVisible) publish(ref);
  }
  // True if a series that was left behind has samples again.
  bool isAnyBack() {
    for (; looked_ < published_.size() && !isBack_; ++looked_) {
      const SeriesRef ref = published_[looked_];
      isBack_ = ref < at_ && std::ranges::binary_search(left_, ref);
    }
    return isBack_;
  }
  void skip() {
    if (skipped_ > 0) next_->skipLocked(std::exchange(skipped_, 0));
  }
  void publish(SeriesRef ref) {
    isVisible_[ref] = true;
    next_->visibility_.publish(ref);
  }
  void takeBounds() {
    const SeriesTables& tables = before_->tables_;
    for (std::uint32_t name = 0; name < nameBefore_.size(); ++name) {
      next_->tables_.nameBounds.replace(name, tables.nameBounds.of(nameBefore_[name]));
      if (!tables.names[nameBefore_[name]].isNarrowed) continue;
      next_->tables_.names[name].isNarrowed = true;
      next_->tables_.narrowedNames.push_back(name);
    }
  }

  MemorySeriesIndex* before_;  // The previous index; null after finish().
  const SeriesRef keptFrom_;
  std::unique_ptr<MemorySeriesIndex> next_;
  std::vector<SeriesRef> published_;  // Became visible since the beginning. Guarded by the lock.
  SeriesRef at_ = 0;                  // Series below it were examined.
  std::uint32_t skipped_ = 0;         // How many of the last examined series are gone.
  std::vector<SeriesRef> left_;
  std::size_t looked_ = 0;  // How many of published_ were checked.
  bool isBack_ = false;
  std::vector<bool> isVisible_;  // In the next index.
  // By name number in the next index: the number in the previous one.
  std::vector<std::uint32_t> nameBefore_;
  std::vector<Label> labels_;  // Scratch: the labels of one series.
  std::uint64_t memoryBytes_ = 0;
};

}  // namespace seriesdb
