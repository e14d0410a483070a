// The group of each series: series with equal keys (metric, id, labels, columns) share one.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "index/series_index.h"
#include "query/fold/aggregate_plan.h"

namespace seriesdb {

// The values of one key for every group. Codes order as the values do.
struct KeyColumn {
  static constexpr std::uint32_t kMissing = TextCodes::kMissing;
  // For kMetric, kLabel and text kColumn: distinct texts, ascending by bytes. The index and the
  // plan own the bytes.
  std::vector<std::string_view> texts;
  std::vector<SeriesId> ids;         // For kSeriesId: ascending.
  std::vector<std::uint64_t> words;  // For kColumn without texts: ascending.
  // Indexed by group: a place in `texts`, `ids` or `words`, or kMissing.
  std::vector<std::uint32_t> codes;
};

struct GroupIndex {
  std::uint32_t groupCount = 0;
  std::vector<std::uint32_t> groupOf;  // Indexed by the series' place in the plan.
  // In the plan's order; an empty column for keys that differ by sample.
  std::vector<KeyColumn> keys;
};

// If the bucket is the only key, all series are in one group. Group numbers ascend by the codes of
// the first key, then of the second, and so on. A missing value sorts last.
GroupIndex groupSeries(const SeriesIndex& index, const AggregatePlan& plan);

}  // namespace seriesdb
