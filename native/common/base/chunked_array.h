// An append-only array in chunks of fixed size: growing moves no element, so elements keep their
// addresses and at most one chunk is spare.
//
// The owner's lock guards appends. Reads need no lock. Any thread may read an element that it
// learnt of after its writing, by an acquire of a counter or by the lock.
#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>

#include "common/base/chunk_directory.h"

namespace seriesdb {

template <typename T, unsigned kChunkBits>
class ChunkedArray {
 public:
  static constexpr std::size_t kChunkSize = std::size_t{1} << kChunkBits;

  // Only for the appending thread, or under the lock.
  std::size_t size() const { return size_; }
  // REQUIRES: index < size()
  const T& operator[](std::size_t index) const { return *at(index); }
  T& operator[](std::size_t index) { return *at(index); }

  void push(const T& element) { *reserveRun(1) = element; }

  // Appends `count` contiguous elements and returns the first: its index is size() minus
  // `count`. If a chunk's rest is too short, it stays unused. REQUIRES: 0 < count <=
  // kChunkSize
  T* reserveRun(std::size_t count) {
    const std::size_t used = size_ & (kChunkSize - 1);
    if (used + count > kChunkSize) size_ += kChunkSize - used;
    if (size_ >> kChunkBits == chunks_.count()) {
      chunks_.add(Chunk(std::make_unique<T[]>(kChunkSize)));
      ++ownChunks_;
    }
    T* first = at(size_);
    size_ += count;
    return first;
  }

  // Appends `count` constant elements equal to `filler`. Whole chunks of them share memory.
  // REQUIRES: `filler` is the same in each call.
  void skip(std::size_t count, const T& filler) {
    while (count > 0) {
      const std::size_t room = kChunkSize - (size_ & (kChunkSize - 1));
      const std::size_t some = std::min(count, room);
      if (some == kChunkSize) {
        if (skipped_ == nullptr) {
          skipped_ = Chunk(std::make_unique<T[]>(kChunkSize));
          std::fill_n(skipped_.get(), kChunkSize, filler);
          ++ownChunks_;
        }
        chunks_.add(skipped_);
        size_ += some;
      } else {
        std::fill_n(reserveRun(some), some, filler);
      }
      count -= some;
    }
  }

  // The first index from this one on that is in no wholly skipped chunk. Only for threads that
  // learnt of all elements below that index.
  std::size_t firstKept(std::size_t index, std::size_t end) const {
    while (index < end && skipped_ != nullptr &&
           chunks_.chunk(index >> kChunkBits) == skipped_.get()) {
      index = (index | (kChunkSize - 1)) + 1;
    }
    return std::min(index, end);
  }

  std::size_t memoryBytes() const {
    return ownChunks_ * kChunkSize * sizeof(T) + chunks_.memoryBytes();
  }

 private:
  using Chunk = typename ChunkDirectory<T>::Chunk;

  T* at(std::size_t index) const {
    return chunks_.chunk(index >> kChunkBits) + (index & (kChunkSize - 1));
  }

  ChunkDirectory<T> chunks_;
  Chunk skipped_;
  std::size_t ownChunks_ = 0;
  std::size_t size_ = 0;
};

}  // namespace seriesdb
