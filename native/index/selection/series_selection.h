// From a filter to the series that match it, by postings.
//
// The list that promises the fewest series gives the candidates; what is left of the filter is then
// asked of each: by galloping through another list where there is a single one, else by looking at
// the candidate's own labels. The index is locked only to look up names and values, a few hundred
// at a time.
#pragma once

#include <optional>
#include <vector>

#include "common/types/sample.h"
#include "index/selection/series_filter.h"
#include "index/series_tables.h"

namespace seriesdb {

// The visible series that match, ascending. Sees every series that became visible before the call.
// `ofIds`: the series of the filter's ids, ascending, where it has ids.
std::vector<SeriesRef> selectSeries(const SeriesTables& tables, const SeriesFilter& filter,
                                    std::vector<SeriesRef> ofIds);

// The same where the filter is short and one of its lists is: some microseconds, whatever the index
// holds; else null.
std::optional<std::vector<SeriesRef>> selectFewSeries(const SeriesTables& tables,
                                                      const SeriesFilter& filter,
                                                      std::vector<SeriesRef> ofIds);

}  // namespace seriesdb
