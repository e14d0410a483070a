// Label pairs, each stored once and numbered 0, 1, 2…
//
// A pair is kept as its canonical text `"key":"value"`, so that a series' identity is compared
// piece by piece without rendering it. Guarded by its owner's lock.
#pragma once

#include <cstdint>
#include <string_view>

#include "base/bytes.h"
#include "base/hash.h"
#include "index/chunked_array.h"
#include "index/ref_table.h"
#include "model/identity.h"

namespace seriesdb {

class LabelPairs {
 public:
  explicit LabelPairs(std::uint64_t hashSeed) : hashSeed_(hashSeed) {}

  // The pair's number; a new one when it is unknown. `canonical` is the pair as `"key":"value"`.
  // REQUIRES: canonical.size() <= kIdentitySizeMax
  std::uint32_t intern(const Label& label, std::string_view canonical);

  // Views that live as long as this object. REQUIRES: a number that intern() returned.
  std::string_view canonicalOf(std::uint32_t pair) const {
    const Pair& held = pairs_[pair];
    return {&texts_[held.textAt], held.canonicalSize};
  }
  Label labelOf(std::uint32_t pair) const;

  std::size_t memoryBytes() const;

 private:
  struct Pair {
    std::uint64_t textAt;
    std::uint16_t canonicalSize;
    std::uint16_t keySize;  // Of the raw key and value, without quotes and escapes.
    std::uint16_t valueSize;
  };

  std::uint64_t hashSeed_;
  ChunkedArray<Pair, 10> pairs_;
  // The canonical text; when it has escapes, the raw key and value follow it.
  ChunkedArray<char, 16> texts_;
  RefTable numbers_;
};

}  // namespace seriesdb
