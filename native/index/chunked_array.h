// An append-only array in chunks of fixed size: growing moves no element, so that an element keeps
// its address and at most one chunk is spare.
//
// Appending is guarded by the owner's lock. Reading needs none: an element may be read by every
// thread that learnt of it after it was written (by an acquire of a counter, or by the lock).
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <memory>
#include <vector>

namespace seriesdb {

template <typename T, unsigned kChunkBits>
class ChunkedArray {
 public:
  static constexpr std::size_t kChunkSize = std::size_t{1} << kChunkBits;

  // Of the appending thread, or under the lock.
  std::size_t size() const { return size_; }
  // REQUIRES: index < size()
  const T& operator[](std::size_t index) const { return *at(index); }
  T& operator[](std::size_t index) { return *at(index); }

  void push(const T& element) { *reserveRun(1) = element; }

  // Appends `count` elements that lie side by side, and returns the first: its index is size() less
  // `count`. The rest of a chunk that is too short for them stays unused.
  // REQUIRES: 0 < count <= kChunkSize
  T* reserveRun(std::size_t count) {
    const std::size_t used = size_ & (kChunkSize - 1);
    if (used + count > kChunkSize) size_ += kChunkSize - used;
    if (size_ >> kChunkBits == chunks_.size()) addChunk();
    T* first = at(size_);
    size_ += count;
    return first;
  }

  std::size_t memoryBytes() const {
    // The older directories are together as large as the newest.
    return chunks_.size() * kChunkSize * sizeof(T) + chunks_.capacity() * sizeof(chunks_[0]) +
           2 * directorySize_ * sizeof(T*);
  }

 private:
  T* at(std::size_t index) const {
    T* const* directory = directory_.load(std::memory_order_acquire);
    return directory[index >> kChunkBits] + (index & (kChunkSize - 1));
  }
  // A directory that became too small stays alive for those who read from it.
  void addChunk() {
    if (chunks_.size() == directorySize_) {
      auto grown = std::make_unique<T*[]>(std::max<std::size_t>(8, directorySize_ * 2));
      if (directorySize_ > 0) std::copy_n(directories_.back().get(), directorySize_, grown.get());
      directorySize_ = std::max<std::size_t>(8, directorySize_ * 2);
      directories_.push_back(std::move(grown));
    }
    chunks_.push_back(std::make_unique<T[]>(kChunkSize));
    directories_.back()[chunks_.size() - 1] = chunks_.back().get();
    directory_.store(directories_.back().get(), std::memory_order_release);
  }

  std::atomic<T* const*> directory_ = nullptr;
  std::vector<std::unique_ptr<T*[]>> directories_;
  std::size_t directorySize_ = 0;
  std::vector<std::unique_ptr<T[]>> chunks_;
  std::size_t size_ = 0;
};

}  // namespace seriesdb
