// A generation of the index: the series that stay, in tables of their own, which share the cells of
// their bounds with those of before. So nothing that is noted meanwhile is missed there.
#include <algorithm>
#include <mutex>
#include <shared_mutex>
#include <utility>

#include "common/base/check.h"
#include "index/selection/wanted_series.h"

namespace seriesdb {

namespace {

// How many series are looked at before other users of the index get their turn.
constexpr std::size_t kTakenPerLock = 256;

}  // namespace

class MemorySeriesIndex::Generation final : public NextGeneration {
 public:
  Generation(MemorySeriesIndex& before, SeriesRef keptFrom)
      : before_(&before),
        keptFrom_(keptFrom),
        next_(std::make_unique<MemorySeriesIndex>(before.limits_, before.idOfIdentity_)) {
    const std::unique_lock lock(before.tables_.mutex);
    CHECK(before.published_ == nullptr && !before.isRenewingNames_);
    before.published_ = &published_;
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
  // Whoever has the one before may let it go from here on.
  void detach() {
    if (before_ == nullptr) return;
    const std::unique_lock lock(before_->tables_.mutex);
    before_->published_ = nullptr;
    before_ = nullptr;
  }

  // All below: REQUIRES the lock of the tables of before.
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
  // Whether one that was left behind has samples again.
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
    next_->publishLocked(ref);
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

  MemorySeriesIndex* before_;  // Null after finish().
  const SeriesRef keptFrom_;
  std::unique_ptr<MemorySeriesIndex> next_;
  std::vector<SeriesRef> published_;  // Since this was begun. Guarded by the lock.
  SeriesRef at_ = 0;                  // Those below were looked at.
  std::uint32_t skipped_ = 0;         // The last of them, that are gone.
  std::vector<SeriesRef> left_;
  std::size_t looked_ = 0;  // Of published_.
  bool isBack_ = false;
  std::vector<bool> isVisible_;       // In the next one.
  std::vector<std::uint32_t> nameBefore_;  // The numbers of its names in the one before.
  std::vector<Label> labels_;              // Of one series.
  std::uint64_t memoryBytes_ = 0;
};

std::unique_ptr<NextGeneration> MemorySeriesIndex::beginGeneration(SeriesRef keptFrom) {
  return std::make_unique<Generation>(*this, keptFrom);
}

}  // namespace seriesdb
