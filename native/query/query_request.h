// A query as it comes over the boundary: plain data.
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
  // By ids, of which unknown ones have no samples; or else by filter.
  std::variant<std::vector<SeriesId>, SeriesFilter> series;
  std::uint64_t seriesMax = UINT64_MAX;
  bool isOfOneSeries = false;    // Nothing is read where there are several. Of kRows.
  AggregatePlan plan;            // Less the series, their kinds and the unit.
  RowOrder order;                // Of kRows.
  ListPlan list;                 // Of kList, less the filter.
  std::optional<TextPlan> text;  // The rows as text; always of kList.

  // Whether expressions read what series have by themselves.
  bool hasColumns() const;
  // kInvalidArgument.
  Status check() const;
};

}  // namespace seriesdb
