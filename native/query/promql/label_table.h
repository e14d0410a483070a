// The labels of rows as Prometheus sees them, one column per key; the metric's key is `__name__`.
// An empty label counts as absent. The metric hides a label named `__name__`.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "index/series_index.h"
#include "query/promql/step_plan.h"

namespace seriesdb {

// Labels that describe the metric instead of the series.
inline constexpr std::string_view kMetadataLabels[] = {kMetricKey, "__type__", "__unit__"};

struct LabelColumn {
  std::string key;
  std::vector<std::string_view> texts;  // Ascending by bytes; the index owns the bytes.
  // Indexed by row: 0 for no label, else a place in `texts` plus one.
  std::vector<std::uint32_t> codes;
};

// The labels that any row has, ascending by the bytes of their keys.
struct LabelTable {
  std::vector<LabelColumn> columns;

  std::uint64_t bytes() const;
};

// All labels of the series.
LabelTable labelsOfSeries(const SeriesIndex& index, std::span<const SeriesRef> refs);
// Only the labels of the choice, which make groups.
LabelTable labelsOfSeries(const SeriesIndex& index, std::span<const SeriesRef> refs,
                          const LabelChoice& choice);

// Rows with the same labels form a group. Groups are ordered by their first rows.
struct RowGroups {
  std::vector<std::uint32_t> groupOf;  // Indexed by row.
  std::vector<std::uint32_t> firstOf;  // Indexed by group: its first row.
};
RowGroups groupsOf(const LabelTable& table, std::size_t rowCount);

}  // namespace seriesdb
