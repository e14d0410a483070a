// A query as it crosses the boundary to JavaScript: plain data.
#pragma once

#include <cstdint>
#include <optional>
#include <variant>
#include <vector>

#include "common/base/status.h"
#include "index/selection/series_filter.h"
#include "query/fold/aggregate_plan.h"
#include "query/list_query.h"
#include "query/print/row_text.h"
#include "query/rows/row_query.h"

namespace seriesdb {

enum class QueryAnswer : std::uint8_t { kColumns, kGroups, kRows, kList };

struct QueryRequest {
  QueryAnswer answer = QueryAnswer::kColumns;
  // Chosen by ids, or by a filter. An unknown id has no samples.
  std::variant<std::vector<SeriesId>, SeriesFilter> series;
  std::uint64_t seriesMax = UINT64_MAX;
  bool isOfOneSeries = false;    // For kRows: if several series match, nothing is read.
  AggregatePlan plan;            // Without the series, their kinds and the unit.
  RowOrder order;                // For kRows.
  ListPlan list;                 // For kList; without the filter.
  std::optional<TextPlan> text;  // Set if the rows are wanted as text; always set for kList.

  // True if expressions read columns with one value per series.
  bool hasColumns() const;
  // kInvalidArgument.
  Status check() const;
};

}  // namespace seriesdb
