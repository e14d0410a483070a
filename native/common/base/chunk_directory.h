// The chunk pointers of an array: growing moves no chunk, and a chunk may be absent or shared with
// another array.
//
// The owner's lock guards changes. Reads need no lock. Any thread may read a chunk that it learnt
// of after its addition, by an acquire of a counter or by the lock.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

namespace seriesdb {

template <typename T>
class ChunkDirectory {
 public:
  using Chunk = std::shared_ptr<T[]>;

  // Under the lock, like everything below except chunk().
  std::size_t count() const { return chunks_.size(); }
  // Null: absent. REQUIRES: number < count()
  const Chunk& owned(std::size_t number) const { return chunks_[number]; }
  void add(Chunk chunk) {
    if (chunks_.size() == slotCount_) grow();
    chunks_.push_back(std::move(chunk));
    directories_.back()[chunks_.size() - 1].store(chunks_.back().get(), std::memory_order_release);
  }
  // REQUIRES: it is absent.
  void put(std::size_t number, Chunk chunk) {
    chunks_[number] = std::move(chunk);
    directories_.back()[number].store(chunks_[number].get(), std::memory_order_release);
  }

  // The first element of the chunk, or null.
  T* chunk(std::size_t number) const {
    return directory_.load(std::memory_order_acquire)[number].load(std::memory_order_acquire);
  }

  // Without the chunks. The older directories together are as large as the newest.
  std::size_t memoryBytes() const {
    return chunks_.capacity() * sizeof(Chunk) + 2 * slotCount_ * sizeof(T*);
  }

 private:
  using Slot = std::atomic<T*>;

  // A directory that became too small stays alive for its readers. They look for no chunk in it
  // that is added later: that chunk was absent for them.
  void grow() {
    const std::size_t grown = std::max<std::size_t>(8, slotCount_ * 2);
    auto slots = std::make_unique<Slot[]>(grown);
    for (std::size_t i = 0; i < slotCount_; ++i) {
      slots[i].store(chunks_[i].get(), std::memory_order_relaxed);
    }
    directories_.push_back(std::move(slots));
    slotCount_ = grown;
    directory_.store(directories_.back().get(), std::memory_order_release);
  }

  std::atomic<const Slot*> directory_ = nullptr;
  std::vector<std::unique_ptr<Slot[]>> directories_;
  std::size_t slotCount_ = 0;
  std::vector<Chunk> chunks_;
};

}  // namespace seriesdb
