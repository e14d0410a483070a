// Label keys, each stored once and numbered 0, 1, 2…, with their pairs in order of the values.
// Guarded by the owner's lock.
#pragma once

#include <cstdint>
#include <string_view>

#include "common/base/bytes.h"
#include "common/base/chunked_array.h"
#include "common/digest/hash.h"
#include "index/ref_table.h"
#include "index/sorted_numbers.h"

namespace seriesdb {

class LabelKeys {
 public:
  explicit LabelKeys(std::uint64_t hashSeed) : hashSeed_(hashSeed) {}

  // The key's number, or RefTable::kNone.
  std::uint32_t find(std::string_view text) const {
    return numbers_.find(hashOf(text), [&](std::uint32_t key) { return textOf(key) == text; });
  }
  std::uint32_t intern(std::string_view text);

  // REQUIRES (textOf, addPair, pairsOf): a number that intern() returned. textOf() needs no lock;
  // its view lives as long as this object.
  std::string_view textOf(std::uint32_t key) const {
    const Key& held = keys_[key];
    return {&texts_[held.textAt], held.textSize};
  }
  // Adds a new pair to its key. `isBefore` orders pairs by their values.
  template <typename IsBefore>
  void addPair(std::uint32_t key, std::uint32_t pair, IsBefore isBefore) {
    SortedNumbers& pairs = keys_[key].pairs;
    const std::size_t before = pairs.memoryBytes();
    pairs.insert(pair, isBefore);
    pairBytes_ += pairs.memoryBytes() - before;
  }
  // The numbers of label pairs, bytewise by value.
  const SortedNumbers& pairsOf(std::uint32_t key) const { return keys_[key].pairs; }

  // All keys, bytewise.
  const SortedNumbers& sorted() const { return sorted_; }

  std::size_t textBytes() const { return texts_.memoryBytes(); }
  std::size_t memoryBytes() const;

 private:
  struct Key {
    std::uint64_t textAt = 0;
    std::uint32_t textSize = 0;
    SortedNumbers pairs;
  };

  std::uint32_t hashOf(std::string_view text) const {
    return static_cast<std::uint32_t>(tableHash(asBytes(text), hashSeed_) >> 32);
  }

  std::uint64_t hashSeed_;
  ChunkedArray<Key, 6> keys_;
  ChunkedArray<char, 14> texts_;
  RefTable numbers_;
  SortedNumbers sorted_;
  std::size_t pairBytes_ = 0;
};

}  // namespace seriesdb
