// Which group each series belongs to: series with equal keys (metric, id, labels) share one.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "index/series_index.h"
#include "query/fold/aggregate_plan.h"

namespace seriesdb {

// A key's value for every group. Codes order as the values do.
struct KeyColumn {
  static constexpr std::uint32_t kMissing = TextCodes::kMissing;
  // Of kMetric, kLabel and kColumn: distinct texts, ascending by bytes; valid as long as index and
  // plan.
  std::vector<std::string_view> texts;
  std::vector<SeriesId> ids;         // Of kSeriesId: ascending.
  std::vector<std::uint64_t> words;  // Of kColumn, unless it is of texts: ascending.
  // By group: a place in `texts`, `ids` or `words`, or kMissing.
  std::vector<std::uint32_t> codes;
};

struct GroupIndex {
  std::uint32_t groupCount = 0;
  std::vector<std::uint32_t> groupOf;  // By place of the series.
  std::vector<KeyColumn> keys;         // As in the plan; empty for what differs by sample.
};

// Without keys but the bucket, all series are in one group. The numbers of groups ascend by the
// codes of the first key, then of the second, and so on; what is missing is last.
GroupIndex groupSeries(const SeriesIndex& index, const AggregatePlan& plan);

}  // namespace seriesdb
