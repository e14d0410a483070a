// Series from CATALOG, a commit or the WAL, on their way into an index.
//
// A load does the work that needs no index, on any thread. It checks the shape of series, finds
// equal texts and computes all hashes. The index must take series in order; it then looks up each
// text of a load once.
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

// Checks name and labels of a requested series; `labels` ascend by key.
Status checkShape(std::string_view name, std::span<const Label> labels);
Status checkIdentitySize(std::size_t size);

// A definition with views of its texts.
struct SeriesView {
  SeriesRef ref = 0;
  SeriesId id = 0;
  std::string_view name;
  std::span<const Label> labels;
};

// Not thread-safe. The texts of added series must outlive the load.
class SeriesLoad {
 public:
  // The meaning of refs left out before a series: a contradiction, or series that are gone.
  enum class LeftOut : std::uint8_t { kRefused, kGone };

  struct Text {
    std::string_view text;
    std::uint32_t hash;
  };
  struct Pair {
    Label label;
    std::size_t at;  // Place of the canonical text in the load's texts.
    std::size_t size;
    std::uint32_t hash;
  };
  struct Series {
    SeriesId id;
    SeriesRef ref;
    std::uint32_t hash;  // Hash of its identity.
    std::uint32_t name;  // The number in the load.
    std::uint32_t pairsAt;
    std::uint32_t pairCount;
    LeftOut before;
  };

  // Use SeriesIndex::emptyLoad(), of the index that takes the load.
  explicit SeriesLoad(std::uint64_t hashSeed) : hashSeed_(hashSeed) {}

  // kStorageCorrupt if name or labels are not valid for a series.
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
  std::string identity_;  // Scratch: the identity of the series being added.
  RefTable nameNumbers_;
  RefTable pairNumbersByText_;
};

}  // namespace seriesdb
