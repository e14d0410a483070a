// Adds recorded series to the index. Only memory_series_index.cc includes it.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "index/memory_series_index.h"
#include "index/restoring/series_load.h"

namespace seriesdb {

// Adds one load to the tables. REQUIRES: their lock, exclusively.
class MemorySeriesIndex::Restoring {
 public:
  Restoring(MemorySeriesIndex& index, const SeriesLoad& load)
      : index_(index), tables_(index.tables_), load_(load) {
    for (const auto& [text, hash] : load.names()) names_.push_back(index.internName(text, hash));
    for (const SeriesLoad::Pair& one : load.pairs()) {
      pairs_.push_back(
          tables_.pairs.intern(one.label, {load.canonicalOf(one), one.hash}, tables_.keys));
    }
  }

  Status run() {
    const auto all = load_.series();
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (i + kRestoredAhead < all.size()) {
        index_.byIdentity_.prefetch(all[i + kRestoredAhead].hash);
        index_.byId_.prefetch(index_.hashOf(all[i + kRestoredAhead].id));
      }
      const Status taken = take(all[i]);
      if (!taken.ok()) return taken;
    }
    return {};
  }

 private:
  // The tables are prefetched into the cache this many series ahead.
  static constexpr std::size_t kRestoredAhead = 12;

  Status take(const SeriesLoad::Series& one) {
    const bool isNext = one.ref == tables_.created.load(std::memory_order_relaxed);
    if (!isNext && one.before == SeriesLoad::LeftOut::kGone) {
      if (Status skipped = index_.skipToLocked(one.ref); !skipped.ok()) return skipped;
    }
    numbers_.clear();
    for (const std::uint32_t pair : load_.pairsOf(one)) numbers_.push_back(pairs_[pair]);
    const Numbered series{names_[one.name], numbers_};
    const std::uint32_t next = tables_.created.load(std::memory_order_relaxed);
    const SeriesRef known = find(one.hash, series);
    if (one.ref < next) return checkKnown(one, known);
    if (one.ref > next) return refuse(one, "the series before it are missing");
    if (one.id > kSeriesIdMask) return refuse(one, "its id has more than 53 bits");
    // A known series with this identity or id was gone when this one was created.
    if (known != RefTable::kNone) index_.loseLocked(known);
    const SeriesRef ofId = index_.findIdLocked(one.id);
    if (ofId != RefTable::kNone) index_.loseLocked(ofId);
    // Recorded series are accepted, whatever the limits are now.
    const Status full = index_.checkFull();
    if (full.ok()) index_.addLocked(series, one.id, one.hash);
    return full;
  }
  // Checks a series whose number was given before.
  Status checkKnown(const SeriesLoad::Series& one, SeriesRef known) const {
    if (known == one.ref) {
      const bool isSame = tables_.series[known].id == one.id;
      return isSame ? Status() : refuse(one, "it is already known with another id");
    }
    if (!tables_.has(one.ref)) return {};
    if (known != RefTable::kNone) return refuse(one, "it is already known under another number");
    return refuse(one, "its number already belongs to another series");
  }
  SeriesRef find(std::uint32_t hash, const Numbered& wanted) const {
    return index_.byIdentity_.find(hash, [&](SeriesRef held) {
      return tables_.series[held].name == wanted.name &&
             std::ranges::equal(tables_.pairsOf(held), wanted.pairs);
    });
  }
  static Status refuse(const SeriesLoad::Series& one, const std::string& why) {
    return Status::corrupt("series " + std::to_string(one.ref) + ": " + why);
  }

  MemorySeriesIndex& index_;
  SeriesTables& tables_;
  const SeriesLoad& load_;
  // Numbers in the index, by numbers in the load.
  std::vector<std::uint32_t> names_;
  std::vector<std::uint32_t> pairs_;
  std::vector<std::uint32_t> numbers_;  // Scratch: the pair numbers of one series.
};

}  // namespace seriesdb
