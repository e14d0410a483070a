// The tables of the series index, which its parts share.
//
// Locking: `mutex` guards every table. The facts of a series and the texts never change. A reader
// may learn of a series through createdCount(), or from a list read under the lock. It then reads
// `series`, `pairRuns` and the texts without the lock. Bounds are atomics.
#pragma once

#include <atomic>
#include <cstdint>
#include <span>
#include <vector>

#include "common/base/chunked_array.h"
#include "common/base/lock_order.h"
#include "index/label_keys.h"
#include "index/label_pairs.h"
#include "index/posting_lists.h"
#include "index/ref_table.h"
#include "index/series_bounds.h"
#include "index/series_index.h"
#include "index/series_names.h"

namespace seriesdb {

// A walk over series in random order prefetches this many ahead into the cache.
inline constexpr std::size_t kSeriesAhead = 16;

// pairsAt indexes pairRuns: the number of labels, then that many pair numbers, sorted by key.
struct SeriesEntry {
  SeriesId id = 0;
  std::uint32_t name = RefTable::kNone;  // kNone: the series is gone.
  std::uint32_t pairsAt = 0;
};

struct SeriesTables {
  explicit SeriesTables(std::uint64_t hashSeed)
      : names(hashSeed), keys(hashSeed), pairs(hashSeed) {}

  mutable OrderedSharedMutex<LockRank::kIndexTables> mutex;
  SeriesNames names;
  LabelKeys keys;
  LabelPairs pairs;
  PostingLists lists;
  ChunkedArray<SeriesEntry, 12> series;
  ChunkedArray<std::uint32_t, 14> pairRuns;
  SeriesBounds bounds;
  // By name number: bounds over all series of a name. Too wide for names in `narrowedNames`, and
  // during renewal. Meanwhile `nameSince` collects the samples since its beginning.
  SeriesBounds nameBounds;
  SeriesBounds nameSince;
  std::vector<std::uint32_t> narrowedNames;  // Names whose bounds may have narrowed.
  std::atomic<std::uint32_t> created = 0;
  std::atomic<std::uint32_t> gone = 0;
  std::atomic<std::uint32_t> visible = 0;

  // The numbers of label pairs, by key.
  std::span<const std::uint32_t> pairsOf(SeriesRef ref) const {
    const std::uint32_t* run = &pairRuns[series[ref].pairsAt];
    return {run + 1, run[0]};
  }
  std::uint32_t createdCount() const { return created.load(std::memory_order_acquire); }
  // REQUIRES: ref < createdCount()
  bool has(SeriesRef ref) const { return series[ref].name != RefTable::kNone; }
  // REQUIRES: the lock.
  IndexMemory memoryParts() const {
    IndexMemory parts;
    parts.series = series.memoryBytes() + pairRuns.memoryBytes();
    parts.bounds = bounds.memoryBytes() + nameBounds.memoryBytes() + nameSince.memoryBytes();
    parts.postings = lists.memoryBytes();
    parts.texts = names.textBytes() + keys.textBytes() + pairs.textBytes();
    parts.labels = names.memoryBytes() + keys.memoryBytes() + pairs.memoryBytes() - parts.texts +
                   narrowedNames.capacity() * sizeof(std::uint32_t);
    return parts;
  }
  bool isVisible(SeriesRef ref) const { return bounds.isSet(ref); }
};

}  // namespace seriesdb
