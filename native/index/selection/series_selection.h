// Finds the series that match a filter, by posting lists.
//
// The list with the fewest series gives the candidates. The rest of the filter is then checked for
// each candidate. If another condition is a single list, galloping through it does so, otherwise
// the candidate's own labels. The index is locked only to look up names and values, a few hundred
// at a time.
#pragma once

#include <optional>
#include <vector>

#include "common/types/sample.h"
#include "index/selection/series_filter.h"
#include "index/series_tables.h"

namespace seriesdb {

// The visible series that match, ascending. Includes every series that became visible before the
// call. `ofIds`: the series of the filter's ids, ascending, if it has ids.
std::vector<SeriesRef> selectSeries(const SeriesTables& tables, const SeriesFilter& filter,
                                    std::vector<SeriesRef> ofIds);

// The same if the filter and one of its lists are short, in some microseconds for any index size;
// else nullopt.
std::optional<std::vector<SeriesRef>> selectFewSeries(const SeriesTables& tables,
                                                      const SeriesFilter& filter,
                                                      std::vector<SeriesRef> ofIds);

}  // namespace seriesdb
