// The distinct tuples of key values in the samples, numbered as they are found. Not thread-safe.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "query/keys/key_word.h"

namespace seriesdb {

// A tuple is an array of words: the series' group, a bit mask of null keys, and one word per key. A
// key's word orders as the key does and is 0 for null.
class KeyTuples {
 public:
  static constexpr std::size_t kSeriesGroup = 0;
  static constexpr std::size_t kNulls = 1;
  static constexpr std::size_t kFirstKey = 2;

  explicit KeyTuples(std::size_t keyCount) : width_(kFirstKey + keyCount), slots_(kSlotsMin) {}

  // The count of words in a tuple.
  std::size_t width() const { return width_; }
  std::size_t size() const { return words_.size() / width_; }
  std::size_t memoryBytes() const {
    return words_.capacity() * sizeof(words_[0]) + slots_.capacity() * sizeof(slots_[0]);
  }
  // Valid until the next numberOf().
  const std::uint64_t* wordsOf(std::uint32_t number) const {
    return words_.data() + std::size_t{number} * width_;
  }
  std::uint32_t seriesGroupOf(std::uint32_t number) const {
    return static_cast<std::uint32_t>(wordsOf(number)[kSeriesGroup]);
  }
  KeyValue valueOf(std::uint32_t number, std::size_t key) const {
    const std::uint64_t* words = wordsOf(number);
    return {(words[kNulls] >> key & 1) != 0, words[kFirstKey + key]};
  }
  static bool isSame(const std::uint64_t* a, const std::uint64_t* b, std::size_t width) {
    std::uint64_t difference = 0;
    for (std::size_t i = 0; i < width; ++i) difference |= a[i] ^ b[i];
    return difference == 0;
  }
  static std::uint64_t hash(const std::uint64_t* words, std::size_t width);
  // REQUIRES: width() words with their hash, and fewer than 2^32 - 1 tuples.
  std::uint32_t numberOf(const std::uint64_t* words, std::uint64_t hash);
  // Adds the tuples of another table with the same width. Returns their numbers here.
  std::vector<std::uint32_t> take(const KeyTuples& other);

 private:
  static constexpr std::size_t kSlotsMin = 64;

  void grow();

  std::size_t width_;
  std::vector<std::uint64_t> words_;
  std::vector<std::uint32_t> slots_;  // Open addressing: the number plus one; 0 is free.
};

}  // namespace seriesdb
