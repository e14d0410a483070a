// The labels of series as Prometheus has them, and the order that they make.
#pragma once

#include <cstdint>
#include <functional>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "index/series_index.h"

namespace seriesdb {

// Replaces the content of `labels`: sorted by key, the metric as `__name__`, without those that
// have no value, which is no label there. Another label of that key is hidden by the metric.
void promLabelsOf(const SeriesIndex& index, SeriesRef ref, std::vector<Label>& labels);

// Told how many bytes are held by now; what it refuses is given up.
using HoldBytes = std::function<Status(std::uint64_t)>;
// Sorts series by these labels, pair by pair; one that has fewer, and else the same, is first.
Status sortByPromLabels(const SeriesIndex& index, std::vector<SeriesRef>& refs,
                        const HoldBytes& hold);

}  // namespace seriesdb
