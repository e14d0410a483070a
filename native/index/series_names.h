// Series names, each stored once and numbered 0, 1, 2…, with the facts that bare-name selectors,
// the limit per metric and discovery need. Guarded by the owner's lock.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "common/base/bytes.h"
#include "common/base/chunked_array.h"
#include "common/digest/hash.h"
#include "common/types/sample.h"
#include "index/posting_lists.h"
#include "index/ref_table.h"
#include "index/sorted_numbers.h"

namespace seriesdb {

// A label key of a name's visible series, and the number of these series.
struct NameLabelKey {
  std::uint32_t key;
  std::uint32_t seriesCount;
};

// The facts about one name. Each series that becomes visible or hidden updates them, so that no
// other series of the name need be examined.
struct SeriesName {
  std::uint64_t textAt = 0;
  std::uint32_t textSize = 0;
  std::uint32_t heldCount = 0;  // Series that are not gone.
  std::uint32_t visibleCount = 0;
  // The exclusive or of all visible refs; with one visible series, its ref.
  SeriesRef visibleRefs = 0;
  SeriesRef visibleWithoutLabels = RefTable::kNone;
  bool isNarrowed = false;              // True if it is in SeriesTables::narrowedNames.
  PostingList series;                   // All created series; some may be gone.
  std::vector<NameLabelKey> labelKeys;  // From the visible series, ascending by key.
};

class SeriesNames {
 public:
  explicit SeriesNames(std::uint64_t hashSeed) : hashSeed_(hashSeed) {}

  // The name's number, or RefTable::kNone.
  std::uint32_t find(std::string_view text) const { return find(text, hashOf(text)); }
  // REQUIRES: `hash` is hashOf(text).
  std::uint32_t intern(std::string_view text, std::uint32_t hash);
  std::uint32_t hashOf(std::string_view text) const {
    return static_cast<std::uint32_t>(tableHash(asBytes(text), hashSeed_) >> 32);
  }

  // REQUIRES (textOf and both operators): a number that intern() returned. textOf() needs no lock;
  // its view lives as long as this object.
  std::string_view textOf(std::uint32_t name) const {
    const SeriesName& held = names_[name];
    return {&texts_[held.textAt], held.textSize};
  }
  const SeriesName& operator[](std::uint32_t name) const { return names_[name]; }
  SeriesName& operator[](std::uint32_t name) { return names_[name]; }

  std::uint32_t count() const { return static_cast<std::uint32_t>(names_.size()); }
  // All names, bytewise.
  const SortedNumbers& sorted() const { return sorted_; }

  std::size_t textBytes() const { return texts_.memoryBytes(); }
  std::size_t memoryBytes() const {
    return names_.memoryBytes() + texts_.memoryBytes() + numbers_.memoryBytes() +
           sorted_.memoryBytes() + labelKeyBytes_;
  }
  // Call when a series with the key becomes visible, or is hidden.
  void addLabelKey(std::uint32_t name, std::uint32_t key);
  void removeLabelKey(std::uint32_t name, std::uint32_t key);

 private:
  std::uint32_t find(std::string_view text, std::uint32_t hash) const {
    return numbers_.find(hash, [&](std::uint32_t name) { return textOf(name) == text; });
  }

  std::uint64_t hashSeed_;
  ChunkedArray<SeriesName, 8> names_;
  ChunkedArray<char, 16> texts_;
  RefTable numbers_;
  SortedNumbers sorted_;
  std::size_t labelKeyBytes_ = 0;
};

}  // namespace seriesdb
