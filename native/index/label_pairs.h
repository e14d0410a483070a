// Label pairs, each stored once and numbered 0, 1, 2…
//
// A pair is stored as its canonical text `"key":"value"`, so that a series' identity is compared
// pair by pair without rendering it. Guarded by the owner's lock. The text of a pair never changes,
// so canonicalOf(), labelOf() and keyOf() need no lock.
#pragma once

#include <cstdint>
#include <string_view>

#include "common/base/bytes.h"
#include "common/base/chunked_array.h"
#include "common/digest/hash.h"
#include "common/types/identity.h"
#include "index/label_keys.h"
#include "index/posting_lists.h"
#include "index/ref_table.h"

namespace seriesdb {

class LabelPairs {
 public:
  explicit LabelPairs(std::uint64_t hashSeed) : hashSeed_(hashSeed) {}

  // A pair as `"key":"value"`, and hashOf() of that text.
  struct Canonical {
    std::string_view text;
    std::uint32_t hash;
  };
  // The pair's number. An unknown pair gets a new number and is added to its key in `keys`.
  // REQUIRES: canonical.text.size() <= kIdentitySizeMax
  std::uint32_t intern(const Label& label, Canonical canonical, LabelKeys& keys);
  // The pair's number, or RefTable::kNone.
  std::uint32_t find(std::string_view text) const { return find({text, hashOf(text)}); }
  std::uint32_t hashOf(std::string_view text) const {
    return static_cast<std::uint32_t>(tableHash(asBytes(text), hashSeed_) >> 32);
  }

  // Views that live as long as this object. REQUIRES: a number that intern() returned.
  std::string_view canonicalOf(std::uint32_t pair) const {
    const Pair& held = pairs_[pair];
    return {&texts_[held.textAt], held.canonicalSize};
  }
  Label labelOf(std::uint32_t pair) const;
  // Prefetches into the cache the data that canonicalOf() reads, except the text itself.
  void prefetch(std::uint32_t pair) const { __builtin_prefetch(&pairs_[pair]); }
  // The number of its key.
  std::uint32_t keyOf(std::uint32_t pair) const { return pairs_[pair].key; }

  // All series created with the pair.
  PostingList& seriesOf(std::uint32_t pair) { return pairs_[pair].series; }
  const PostingList& seriesOf(std::uint32_t pair) const { return pairs_[pair].series; }

  std::uint32_t count() const { return static_cast<std::uint32_t>(pairs_.size()); }

  std::size_t textBytes() const { return texts_.memoryBytes(); }
  std::size_t memoryBytes() const;

 private:
  struct Pair {
    std::uint64_t textAt;
    std::uint16_t canonicalSize;
    std::uint16_t keySize;  // Sizes of the raw key and value, without quotes and escapes.
    std::uint16_t valueSize;
    std::uint32_t key;
    PostingList series;
  };

  std::uint32_t find(Canonical canonical) const {
    return numbers_.find(canonical.hash,
                         [&](std::uint32_t pair) { return canonicalOf(pair) == canonical.text; });
  }

  std::uint64_t hashSeed_;
  ChunkedArray<Pair, 10> pairs_;
  // The canonical text; if it has escapes, the raw key and value follow it.
  ChunkedArray<char, 16> texts_;
  RefTable numbers_;
};

}  // namespace seriesdb
