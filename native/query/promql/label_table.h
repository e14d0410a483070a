// The labels of rows as Prometheus has them, as columns: a key each, the metric's as `__name__`. An
// empty label is none, and a label that is called as the metric's key is hidden by it.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "index/series_index.h"
#include "query/promql/step_plan.h"

namespace seriesdb {

// What tells of the metric rather than of the series.
inline constexpr std::string_view kMetadataLabels[] = {kMetricKey, "__type__", "__unit__"};

struct LabelColumn {
  std::string key;
  std::vector<std::string_view> texts;  // Ascending by bytes; valid as long as the index.
  std::vector<std::uint32_t> codes;     // By row: 0 none, else one more than a place in `texts`.
};

// Those that any row has, ascending by the bytes of their keys.
struct LabelTable {
  std::vector<LabelColumn> columns;

  std::uint64_t bytes() const;
};

// All labels of the series.
LabelTable labelsOfSeries(const SeriesIndex& index, std::span<const SeriesRef> refs);
// Those that make groups.
LabelTable labelsOfSeries(const SeriesIndex& index, std::span<const SeriesRef> refs,
                          const LabelChoice& choice);

// Rows with the same labels are a group; the groups in the order of their first rows.
struct RowGroups {
  std::vector<std::uint32_t> groupOf;  // By row.
  std::vector<std::uint32_t> firstOf;  // By group: its first row.
};
RowGroups groupsOf(const LabelTable& table, std::size_t rowCount);

}  // namespace seriesdb
