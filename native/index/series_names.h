// Series names, each stored once and numbered 0, 1, 2…, with what a bare-name selector, the limit
// per metric and discovery need to know of each. Guarded by its owner's lock.
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

// A key that visible series of a name have, and how many of them.
struct NameLabelKey {
  std::uint32_t key;
  std::uint32_t seriesCount;
};

// What is known of one name. Each series that becomes visible or is hidden changes it by itself, so
// that nothing needs a look at the other series of the name.
struct SeriesName {
  std::uint64_t textAt = 0;
  std::uint32_t textSize = 0;
  std::uint32_t heldCount = 0;  // Those that are not gone.
  std::uint32_t visibleCount = 0;
  SeriesRef visibleRefs = 0;  // Of all of them, the exclusive or: of one, it is its ref.
  SeriesRef visibleWithoutLabels = RefTable::kNone;
  bool isNarrowed = false;              // One of SeriesTables::narrowedNames.
  PostingList series;                   // All created ones, some of which may be gone.
  std::vector<NameLabelKey> labelKeys;  // Of visible ones, ascending by key.
};

class SeriesNames {
 public:
  explicit SeriesNames(std::uint64_t hashSeed) : hashSeed_(hashSeed) {}

  // The name's number, or RefTable::kNone.
  std::uint32_t find(std::string_view text) const { return find(text, hashOf(text)); }
  // With the hash that hashOf() gives.
  std::uint32_t intern(std::string_view text, std::uint32_t hash);
  std::uint32_t hashOf(std::string_view text) const {
    return static_cast<std::uint32_t>(tableHash(asBytes(text), hashSeed_) >> 32);
  }

  // REQUIRES (all three): a number that intern() returned. textOf() needs no lock, and its view
  // lives as long as this object.
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
  // A series with the key has become visible, or was hidden.
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
