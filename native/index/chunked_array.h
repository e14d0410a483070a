// An append-only array in chunks of fixed size: growing copies nothing, so an element keeps its
// address and at most one chunk is spare. Guarded by its owner's lock.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

namespace seriesdb {

template <typename T, unsigned kChunkBits>
class ChunkedArray {
 public:
  static constexpr std::size_t kChunkSize = std::size_t{1} << kChunkBits;

  std::size_t size() const { return size_; }
  // REQUIRES: index < size()
  const T& operator[](std::size_t index) const {
    return chunks_[index >> kChunkBits][index & (kChunkSize - 1)];
  }
  T& operator[](std::size_t index) {
    return chunks_[index >> kChunkBits][index & (kChunkSize - 1)];
  }

  void push(const T& element) { *reserveRun(1) = element; }

  // Appends `count` elements that lie side by side, and returns the first: its index is size() less
  // `count`. The rest of a chunk that is too short for them stays unused.
  // REQUIRES: 0 < count <= kChunkSize
  T* reserveRun(std::size_t count) {
    const std::size_t used = size_ & (kChunkSize - 1);
    if (used + count > kChunkSize) size_ += kChunkSize - used;
    if (size_ >> kChunkBits == chunks_.size()) chunks_.push_back(std::make_unique<T[]>(kChunkSize));
    T* first = &chunks_[size_ >> kChunkBits][size_ & (kChunkSize - 1)];
    size_ += count;
    return first;
  }

  std::size_t memoryBytes() const {
    return chunks_.size() * kChunkSize * sizeof(T) + chunks_.capacity() * sizeof(chunks_[0]);
  }

 private:
  std::vector<std::unique_ptr<T[]>> chunks_;
  std::size_t size_ = 0;
};

}  // namespace seriesdb
