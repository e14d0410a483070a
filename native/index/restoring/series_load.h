// Series as CATALOG, a commit or the log tell them, on their way into an index.
//
// What can be known of them without the index is found out here, on any thread: whether they have
// the shape of series, which of their texts are the same, and the hashes of all of them. So the
// index, which must take them in order, looks up each text of a load once.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/status.h"
#include "common/types/identity.h"
#include "common/types/sample.h"
#include "index/ref_table.h"

namespace seriesdb {

// Of a series as it is asked for; `labels` ascend by key.
Status checkShape(std::string_view name, std::span<const Label> labels);
Status checkIdentitySize(std::size_t size);

// A definition whose texts lie somewhere else.
struct SeriesView {
  SeriesRef ref = 0;
  SeriesId id = 0;
  std::string_view name;
  std::span<const Label> labels;
};

// Not thread-safe. The texts of what was added must outlive it.
class SeriesLoad {
 public:
  // What series are that are left out before one: a contradiction, or gone.
  enum class LeftOut : std::uint8_t { kRefused, kGone };

  struct Text {
    std::string_view text;
    std::uint32_t hash;
  };
  struct Pair {
    Label label;
    std::size_t at;  // Of its canonical text, in the load's.
    std::size_t size;
    std::uint32_t hash;
  };
  struct Series {
    SeriesId id;
    SeriesRef ref;
    std::uint32_t hash;  // Of its identity.
    std::uint32_t name;  // Numbers of the load.
    std::uint32_t pairsAt;
    std::uint32_t pairCount;
    LeftOut before;
  };

  // Made by the index that is to take it.
  explicit SeriesLoad(std::uint64_t hashSeed) : hashSeed_(hashSeed) {}

  // kStorageCorrupt for what no series can be called.
  Status add(const SeriesView& series, LeftOut before);

  std::span<const Series> series() const { return series_; }
  std::span<const Text> names() const { return names_; }
  std::span<const Pair> pairs() const { return pairs_; }
  std::string_view canonicalOf(const Pair& pair) const {
    return std::string_view(texts_).substr(pair.at, pair.size);
  }
  std::span<const std::uint32_t> pairsOf(const Series& series) const {
    return std::span(pairNumbers_).subspan(series.pairsAt, series.pairCount);
  }

 private:
  std::uint32_t hashOf(std::string_view text) const;
  std::uint32_t nameNumber(std::string_view text);
  std::uint32_t pairNumber(const Label& label, std::size_t place);
  std::uint32_t findPair(const Label& label);

  std::uint64_t hashSeed_;
  std::vector<Series> series_;
  std::vector<Text> names_;
  std::vector<Pair> pairs_;
  std::vector<std::uint32_t> pairNumbers_;
  std::string texts_;
  std::string identity_;  // Of the series that is being added.
  RefTable nameNumbers_;
  RefTable pairNumbersByText_;
};

}  // namespace seriesdb
