// The series of a query: found by ids or by a filter, within its limits.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "common/base/status.h"
#include "index/series_index.h"
#include "query/query_request.h"
#include "query/samples/query_memory.h"
#include "query/samples/query_stats.h"
#include "storage/engine/engine.h"

namespace seriesdb {

// The series that the request selects. For columns, an unknown id becomes ColumnReader::kNoSeries;
// other answers skip it. Null if `isQuick` and many series may have to be read.
std::optional<std::vector<SeriesRef>> findSeries(const SeriesIndex& index,
                                                 const QueryRequest& request, bool isQuick);

// Prepares the series of the request's plan: their order, and the facts that expressions and
// aggregates need. Counts them in `stats` and holds their memory in `memory`. kSeriesNotFound,
// kQueryLimit, kStorageCorrupt.
Status takeSeries(const Engine& engine, const SeriesIndex& index, QueryRequest& request,
                  QueryMemory& memory, QueryStats& stats);

}  // namespace seriesdb
