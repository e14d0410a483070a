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

// Which series the request means; unknown ids are places of ColumnReader::kNoSeries where columns
// are asked for, else left out. Nothing where `isQuick` and there may be many to look at.
std::optional<std::vector<SeriesRef>> findSeries(const SeriesIndex& index,
                                                 const QueryRequest& request, bool isQuick);

// Takes those that stand in the plan of the request: into its order, with what expressions and
// aggregates need to know of each, and says so in `stats`. What they take is held in `memory`.
// kSeriesNotFound, kQueryLimit, kStorageCorrupt.
Status takeSeries(const Engine& engine, const SeriesIndex& index, QueryRequest& request,
                  QueryMemory& memory, QueryStats& stats);

}  // namespace seriesdb
